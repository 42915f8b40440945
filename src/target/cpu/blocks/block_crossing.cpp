// Decides how a value crosses a cut between regions:
//
//   uniform                          nothing: regions compute it once for the block
//   cheap, of rank, lane, uniforms   computed again in each block that uses it
//   addresses, widened integers      computed again from what they are made of
//   everything else                  a variable of the thread; an array of the block later
//
// A phi where regions meet becomes a variable that is set on each edge to it. These edges are not critical, so
// setting it overwrites nothing that is still needed.
#include "target/cpu/blocks/block_crossing.h"

#include <llvm/IR/CFG.h>

#include "support/check.h"

namespace bsgp::target {

using namespace llvm;

namespace {

// ---- where values live

const BasicBlock* placeOf(const Use& use) {
  auto* user = cast<Instruction>(use.getUser());
  auto* phi = dyn_cast<PHINode>(user);
  return phi ? phi->getIncomingBlock(use) : user->getParent();
}

// True if the value is still needed at the beginning of a block for which `found` holds. The search goes back from
// `uses`, for as long as `goes_on` holds: values that are needed far away would make it long for nothing.
using Test = function_ref<bool(const BasicBlock*)>;
bool isNeeded(const Instruction& value, SmallVector<const BasicBlock*, 16> uses, Test found, Test goes_on) {
  SmallPtrSet<const BasicBlock*, 16> needing;
  while (!uses.empty()) {
    const BasicBlock* block = uses.pop_back_val();
    if (block == value.getParent() || !goes_on(block) || !needing.insert(block).second)
      continue;
    if (found(block))
      return true;
    append_range(uses, predecessors(block));
  }
  return false;
}

SmallVector<const BasicBlock*, 16> placesOfUses(const Instruction& value) {
  SmallVector<const BasicBlock*, 16> places;
  for (const Use& use : value.uses())
    places.push_back(placeOf(use));
  return places;
}

// ---- recomputation

class Recomputation {
public:
  Recomputation(const UniformValues& uniform, const BlockTerms& terms) : uniform_(uniform), terms_(terms) {}

  bool isFree(const Value& value) const {
    auto* instruction = dyn_cast<Instruction>(&value);
    return !instruction || uniform_.has(value) || terms_.is(*instruction) || isa<AllocaInst>(instruction);
  }

  bool isCheap(const Instruction& value) { return cost(value) <= kCheapAgain || isAddress(value); }

private:
  // A cast or an address made of one value that is not free: that one is stored.
  bool isAddress(const Instruction& value) const {
    if (!isa<GetElementPtrInst, ZExtInst, SExtInst, AddrSpaceCastInst>(value))
      return false;
    return count_if(value.operands(), [&](const Use& use) { return !isFree(*use); }) <= 1;
  }

  unsigned cost(const Value& value) {
    if (isFree(value))
      return 0;
    auto& instruction = cast<Instruction>(value);
    if (auto known = costs_.find(&instruction); known != costs_.end())
      return known->second;
    unsigned sum = costOfOneAgain(instruction);
    if (sum == kNeverAgain) // a phi may be among its own operands
      return sum;
    for (const Use& use : instruction.operands())
      sum = std::min(kNeverAgain, sum + cost(*use));
    return costs_[&instruction] = sum;
  }

  const UniformValues& uniform_;
  const BlockTerms& terms_;
  DenseMap<const Instruction*, unsigned> costs_;
};

// ---- storing

class Crossing {
public:
  Crossing(Function& thread, const Regions& regions, const UniformValues& uniform, const BlockTerms& terms)
      : thread_(thread), regions_(regions), uniform_(uniform), terms_(terms), recomputation_(uniform, terms) {}

  DenseSet<const AllocaInst*> run() {
    findArrays();
    SmallVector<Instruction*, 32> crossing;
    for (Instruction& instruction : instructions(thread_))
      if (mayNeedStorage(instruction) && (isMeeting(instruction) || crosses(instruction)))
        crossing.push_back(&instruction);
    for (Instruction* value : crossing)
      if (isMeeting(*value))
        variableOf(*value);
    for (Instruction* value : crossing)
      redirectUses(*value);
    for (Instruction* value : crossing)
      if (isMeeting(*value)) {
        value->replaceAllUsesWith(PoisonValue::get(value->getType())); // all that is left are such phis, which go
        value->eraseFromParent();
      }
    return std::move(variables_);
  }

private:
  bool mayNeedStorage(const Instruction& value) const {
    return !value.getType()->isVoidTy() && !isa<AllocaInst>(value) && !terms_.is(value) && !uniform_.has(value);
  }

  // A phi among edges from different regions.
  bool isMeeting(const Instruction& value) const {
    const BasicBlock* block = value.getParent();
    return isa<PHINode>(value) && (regions_.isLeader(block) || regions_.of(block).size() > 1);
  }

  bool crosses(const Instruction& value) const {
    return isNeeded(
        value, placesOfUses(value), [&](const BasicBlock* block) { return regions_.isLeader(block); },
        [](const BasicBlock*) { return true; });
  }

  AllocaInst* variableOf(Instruction& value) {
    AllocaInst*& variable = variable_of_[&value];
    if (variable)
      return variable;
    IRBuilder<> entry(&thread_.getEntryBlock(), thread_.getEntryBlock().begin());
    Type* type = value.getType()->isIntegerTy(1) ? entry.getInt8Ty() : value.getType();
    variable = entry.CreateAlloca(type, nullptr, value.getName() + ".kept");
    variables_.insert(variable);
    if (auto* phi = dyn_cast<PHINode>(&value); phi && isMeeting(value))
      setOnEveryWay(*phi, *variable);
    else
      store(value, *variable, *value.getInsertionPointAfterDef());
    return variable;
  }

  void setOnEveryWay(PHINode& phi, AllocaInst& variable) {
    for (unsigned i = 0; i != phi.getNumIncomingValues(); ++i) {
      Instruction* end = phi.getIncomingBlock(i)->getTerminator();
      BSGP_CHECK(end->getNumSuccessors() == 1, "a critical edge is left in %s", thread_.getName().str().c_str());
      if (Value* value = phi.getIncomingValue(i); value != &phi)
        store(*value, variable, end->getIterator());
    }
  }

  static void store(Value& value, AllocaInst& variable, BasicBlock::iterator where) {
    IRBuilder<> builder(where->getParent(), where);
    bool widen = value.getType()->isIntegerTy(1);
    builder.CreateStore(widen ? builder.CreateZExt(&value, builder.getInt8Ty()) : &value, &variable);
  }

  void redirectUses(Instruction& value) {
    SmallVector<Use*, 16> uses;
    for (Use& use : value.uses())
      uses.push_back(&use);
    bool meeting = isMeeting(value);
    for (Use* use : uses) {
      auto* block = const_cast<BasicBlock*>(placeOf(*use));
      auto* user = cast<Instruction>(use->getUser());
      if ((block != value.getParent() || meeting) && !(isa<PHINode>(user) && isMeeting(*user)))
        use->set(at(value, *block));
    }
  }

  // The value at the top of a block other than its own.
  Value* at(Value& value, BasicBlock& block) {
    auto* instruction = dyn_cast<Instruction>(&value);
    if (!instruction || recomputation_.isFree(value))
      return &value;
    if (Value* known = known_[{instruction, &block}])
      return known;
    bool again = !isMeeting(*instruction) && recomputation_.isCheap(*instruction);
    Value* found = again ? recompute(*instruction, block) : load(*instruction, block);
    return known_[{instruction, &block}] = found;
  }

  Instruction& topOf(BasicBlock& block) {
    Instruction*& top = tops_[&block];
    if (!top)
      top = &*block.getFirstInsertionPt();
    return *top;
  }

  Value* recompute(Instruction& value, BasicBlock& block) {
    Instruction* copy = value.clone();
    for (Use& use : copy->operands())
      use.set(at(*use, block));
    copy->insertBefore(&topOf(block));
    copy->setName(value.getName());
    return copy;
  }

  Value* load(Instruction& value, BasicBlock& block) {
    AllocaInst* variable = variableOf(value);
    IRBuilder<> builder(&topOf(block));
    Value* loaded = builder.CreateLoad(variable->getAllocatedType(), variable, value.getName());
    return value.getType()->isIntegerTy(1) ? builder.CreateTrunc(loaded, value.getType()) : loaded;
  }

  // ---- private arrays

  void findArrays() {
    for (Instruction& instruction : thread_.getEntryBlock())
      if (auto* array = dyn_cast<AllocaInst>(&instruction); array && arrayCrosses(*array))
        variables_.insert(array);
  }

  // Is there a leader between two uses? What the uses do, and in which order, is not looked at.
  bool arrayCrosses(AllocaInst& array) const {
    SmallPtrSet<const BasicBlock*, 16> users;
    if (!collectUsers(array, users))
      return true;
    SmallPtrSet<const BasicBlock*, 16> behind = reach(users, true), before = reach(users, false);
    return any_of(regions_.all(), [&](const Region& region) {
      return behind.contains(region.leader()) && before.contains(region.leader());
    });
  }

  // False if the array may be used in a manner that cannot be followed.
  static bool collectUsers(AllocaInst& array, SmallPtrSet<const BasicBlock*, 16>& users) {
    SmallVector<const Value*, 16> pointers{&array};
    SmallPtrSet<const Value*, 16> seen{&array};
    while (!pointers.empty())
      for (const Use& use : pointers.pop_back_val()->uses()) {
        auto* user = cast<Instruction>(use.getUser());
        users.insert(placeOf(use));
        users.insert(user->getParent());
        if (isa<GetElementPtrInst, CastInst, PHINode, SelectInst, FreezeInst>(user)) {
          if (seen.insert(user).second)
            pointers.push_back(user);
        } else if (auto* store = dyn_cast<StoreInst>(user); store && store->getValueOperand() == use.get()) {
          return false;
        } else if (isa<CallInst>(user) && !isa<IntrinsicInst>(user)) {
          return false;
        }
      }
    return true;
  }

  // Blocks at whose beginning one of these was left, or is still to come.
  SmallPtrSet<const BasicBlock*, 16> reach(const SmallPtrSet<const BasicBlock*, 16>& from, bool forward) const {
    SmallPtrSet<const BasicBlock*, 16> reached;
    SmallVector<const BasicBlock*, 16> work;
    for (const BasicBlock* block : from)
      if (forward)
        append_range(work, successors(block));
      else
        work.push_back(block);
    while (!work.empty()) {
      const BasicBlock* block = work.pop_back_val();
      if (!reached.insert(block).second)
        continue;
      if (forward)
        append_range(work, successors(block));
      else
        append_range(work, predecessors(block));
    }
    return reached;
  }

  Function& thread_;
  const Regions& regions_;
  const UniformValues& uniform_;
  const BlockTerms& terms_;
  Recomputation recomputation_;
  DenseSet<const AllocaInst*> variables_;
  DenseMap<const Instruction*, AllocaInst*> variable_of_;
  DenseMap<std::pair<const Instruction*, const BasicBlock*>, Value*> known_;
  DenseMap<const BasicBlock*, Instruction*> tops_;
};

} // namespace

unsigned costOfOneAgain(const Instruction& instruction) {
  if (!isFreeExpression(instruction))
    return kNeverAgain;
  if (isa<GetElementPtrInst, ZExtInst, SExtInst, TruncInst>(instruction))
    return 0;
  auto* divisor = instruction.isIntDivRem() ? dyn_cast<ConstantInt>(instruction.getOperand(1)) : nullptr;
  if (divisor && divisor->getValue().isPowerOf2())
    return 1;
  if (isa<CallInst>(instruction) || instruction.isIntDivRem() || instruction.getOpcode() == Instruction::FDiv)
    return kCheapAgain;
  return 1;
}

DenseSet<const AllocaInst*> storeWhatCrosses(Function& thread, const Regions& regions, const UniformValues& uniform,
                                             const BlockTerms& terms) {
  return Crossing(thread, regions, uniform, terms).run();
}

namespace {

// The blocks of a region, and those in which it ends.
struct Inside {
  SmallPtrSet<const BasicBlock*, 16> blocks;
  SmallVector<const BasicBlock*, 2> ends;

  explicit Inside(const Region& region) : blocks(region.blocks.begin(), region.blocks.end()) {
    for (const BasicBlock* block : region.blocks)
      if (any_of(successors(block),
                 [&](const BasicBlock* next) { return region.next.contains(const_cast<BasicBlock*>(next)); }))
        ends.push_back(block);
  }

  // A value that is used outside of the region is needed at its ends, so the walk looks through the region alone.
  bool needsAt(const Instruction& value, const BasicBlock& at) const {
    SmallVector<const BasicBlock*, 16> uses;
    bool outside = false;
    for (const BasicBlock* place : placesOfUses(value))
      if (blocks.contains(place))
        uses.push_back(place);
      else
        outside = true;
    if (outside)
      append_range(uses, ends);
    return isNeeded(
        value, std::move(uses), [&](const BasicBlock* block) { return block == &at; },
        [&](const BasicBlock* block) { return blocks.contains(block); });
  }
};

} // namespace

unsigned valuesAcross(BasicBlock& guard, const Regions& regions, const UniformValues& uniform,
                      const BlockTerms& terms) {
  Recomputation recomputation(uniform, terms);
  unsigned count = 0;
  for (unsigned number : regions.of(&guard)) {
    Inside region(regions.all()[number]);
    auto is_stored = [&](const Instruction& value) {
      return !value.getType()->isVoidTy() && !recomputation.isFree(value) && !recomputation.isCheap(value) &&
             region.needsAt(value, guard);
    };
    for (BasicBlock* block : regions.all()[number].blocks)
      count += count_if(*block, is_stored);
  }
  return count;
}

} // namespace bsgp::target
