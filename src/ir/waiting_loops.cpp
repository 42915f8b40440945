#include "ir/waiting_loops.h"

#include <llvm/ADT/SetVector.h>
#include <llvm/Analysis/IteratedDominanceFrontier.h>
#include <llvm/Analysis/MemoryLocation.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/PatternMatch.h>

#include <optional>

#include "ir/operations.h"
#include "ir/supersteps.h"

namespace bsgp::ir {

using namespace llvm;
using namespace llvm::PatternMatch;

namespace {

constexpr unsigned kDepth = 100; // of an expression; deeper ones count as unknown

// A thread that comes by it sees earlier writes of other threads.
bool refreshes(const Instruction& instruction) {
  if (auto* load = dyn_cast<LoadInst>(&instruction))
    return isAcquireOrStronger(load->getOrdering());
  return isa<FenceInst>(instruction);
}

// The place of a load, a store or an atomic operation; else null.
const Value* accessedBy(const Instruction& access) {
  std::optional<MemoryLocation> location = MemoryLocation::getOrNone(&access);
  return location ? location->Ptr : nullptr;
}

// Do two expressions of one thread give the same address? Levels without common subexpressions write them twice.
bool isOneExpression(const Value* a, const Value* b) {
  using Pair = std::pair<const Value*, const Value*>;
  SmallVector<Pair, 8> pending{{a, b}};
  DenseSet<Pair> seen;
  while (!pending.empty()) {
    auto [one, other] = pending.pop_back_val();
    if (one == other || !seen.insert({one, other}).second)
      continue;
    auto *left = dyn_cast<Instruction>(one), *right = dyn_cast<Instruction>(other);
    if (!left || !right || !left->isSameOperationAs(right) || left->mayReadOrWriteMemory() || isa<PHINode>(left))
      return false;
    for (auto [operand, same] : zip_equal(left->operand_values(), right->operand_values()))
      pending.push_back({operand, same});
  }
  return true;
}

// Finds the values that the end of a loop depends on.
class LoopEnd {
public:
  LoopEnd(const Loop& loop, const LoopInfo& loops, const DominatorTree& dominators, PostDominatorTree& later)
      : loop_(loop), loops_(loops), dominators_(dominators), later_(later) {}

  bool comesByItself() {
    SmallVector<BasicBlock*, 4> exiting;
    loop_.getExitingBlocks(exiting);
    return any_of(exiting, [&](BasicBlock* block) { return isPassed(block) && endsAt(*block->getTerminator()); });
  }

  SmallVector<Instruction*, 2> reads() {
    findSlice();
    SmallVector<Instruction*, 2> found;
    for (BasicBlock* block : loop_.blocks())
      for (Instruction& instruction : *block)
        if (slice_.contains(&instruction) && isRead(instruction) && !changes(placeOf(instruction)))
          found.push_back(&instruction);
    return found;
  }

private:
  const Instruction* inside(const Value* value) const {
    auto* instruction = dyn_cast<Instruction>(value);
    return instruction && loop_.contains(instruction) ? instruction : nullptr;
  }
  bool isHeader(const PHINode& phi, const Loop& loop) const { return phi.getParent() == loop.getHeader(); }

  // Does every iteration come by the block?
  bool isPassed(const BasicBlock* block) const {
    SmallVector<BasicBlock*, 2> latches;
    loop_.getLoopLatches(latches);
    return all_of(latches, [&](BasicBlock* latch) { return dominators_.dominates(block, latch); });
  }

  // ---- values that are others in each iteration

  using Memory = DenseMap<std::pair<const Value*, unsigned>, bool>;

  // Is the phi, at the loop's head, another value in each iteration? Phis that only feed each other stay as they are.
  bool isMoving(const PHINode& phi) {
    auto [known, first] = moving_.try_emplace(&phi, false);
    if (!first)
      return known->second;
    bool moving = true;
    Memory memory;
    for (unsigned i = 0; i < phi.getNumIncomingValues() && moving; ++i)
      if (loop_.contains(phi.getIncomingBlock(i)))
        moving = moves(phi.getIncomingValue(i), &phi, false, memory, 0);
    return moving_[&phi] = moving;
  }

  bool changes(const Value* value) { return moves(value, nullptr, true, changing_, 0); }

  // Is the value certainly another one than in the iteration before, if a step away from `self` is? `stepped`: something
  // has been done with it already.
  bool moves(const Value* value, const PHINode* self, bool stepped, Memory& memory, unsigned depth) {
    const Instruction* instruction = inside(value);
    if (!instruction || depth == kDepth)
      return false;
    if (value == self)
      return stepped;
    auto [known, first] = memory.try_emplace({value, stepped}, false);
    if (!first)
      return known->second;
    bool result = movesAnew(*instruction, self, stepped, memory, depth + 1);
    return memory[{value, stepped}] = result;
  }

  bool movesAnew(const Instruction& instruction, const PHINode* self, bool stepped, Memory& memory, unsigned depth) {
    auto of = [&](const Value* value, bool then) { return moves(value, self, then, memory, depth); };
    if (auto* phi = dyn_cast<PHINode>(&instruction))
      return isHeader(*phi, loop_) ? isMoving(*phi) : mergeMoves(*phi, of, stepped);
    if (auto* select = dyn_cast<SelectInst>(&instruction))
      return of(select->getTrueValue(), stepped) && of(select->getFalseValue(), stepped);
    if (instruction.getType()->isIntegerTy(1)) // there are but two
      return false;
    if (auto* update = dyn_cast<AtomicRMWInst>(&instruction); update && !isOnlyRead(*update))
      if (update->getOperation() == AtomicRMWInst::Add || update->getOperation() == AtomicRMWInst::Sub)
        return !isTakenBack(*update);
    if (const Value* place = placeOf(instruction))
      return of(place, true);
    for (unsigned i : {0u, 1u}) // k + (int)done may be k
      if (instruction.isBinaryOp() && match(instruction.getOperand(i), m_ZExtOrSExt(m_Value())) &&
          cast<CastInst>(instruction.getOperand(i))->getSrcTy()->isIntegerTy(1))
        return of(instruction.getOperand(1 - i), stepped);
    return any_of(instruction.operand_values(), [&](const Value* operand) { return of(operand, true); });
  }

  // May another atomic operation of the loop write where the update counts?
  bool isTakenBack(const AtomicRMWInst& update) const {
    const Value* place = sharedPlaceOf(update);
    return place && any_of(loop_.blocks(), [&](BasicBlock* block) {
             return any_of(*block, [&](const Instruction& other) {
               return &other != &update && other.isAtomic() && isSharedWrite(other) &&
                      mayBeOnePlace(*place, *sharedPlaceOf(other));
             });
           });
  }

  // A phi of an inner loop counts by its initial value.
  bool mergeMoves(const PHINode& phi, function_ref<bool(const Value*, bool)> of, bool stepped) {
    const Loop* inner = loops_.getLoopFor(phi.getParent());
    bool begins = isHeader(phi, *inner);
    for (unsigned i = 0; i < phi.getNumIncomingValues(); ++i)
      if (!(begins && inner->contains(phi.getIncomingBlock(i))) && !of(phi.getIncomingValue(i), stepped))
        return false;
    return true;
  }

  // ---- an end that other threads have no part in

  bool endsAt(const Instruction& terminator) {
    if (auto* choice = dyn_cast<SwitchInst>(&terminator))
      return changes(choice->getCondition());
    auto* branch = dyn_cast<BranchInst>(&terminator);
    return branch && branch->isConditional() && ends(branch->getCondition(), !loop_.contains(branch->getSuccessor(0)));
  }

  // True if the condition becomes `wanted` at some time, whatever memory holds. A proof of one iteration may answer,
  // in the next one, for a phi that depends on itself.
  bool ends(const Value* condition, bool wanted) {
    for (bool more = true; more;) {
      size_t proven = proven_.size();
      asked_.clear();
      if (isProven(condition, wanted, 0))
        return true;
      more = proven_.size() > proven;
    }
    return false;
  }

  bool isProven(const Value* condition, bool wanted, unsigned depth) {
    if (auto* constant = dyn_cast<ConstantInt>(condition))
      return constant->isOne() == wanted;
    if (proven_.contains({condition, wanted}))
      return true;
    if (!inside(condition) || depth == kDepth)
      return false;
    if (!asked_.insert({condition, wanted}).second || !prove(condition, wanted, depth + 1))
      return false;
    proven_.insert({condition, wanted});
    return true;
  }

  bool prove(const Value* condition, bool wanted, unsigned depth) {
    const Value *left = nullptr, *right = nullptr;
    if (match(condition, m_Not(m_Value(left))))
      return isProven(left, !wanted, depth);
    bool both = match(condition, m_LogicalAnd(m_Value(left), m_Value(right)));
    if (both || match(condition, m_LogicalOr(m_Value(left), m_Value(right)))) {
      bool first = isProven(left, wanted, depth), second = isProven(right, wanted, depth);
      return both == wanted ? first && second : first || second;
    }
    if (auto* phi = dyn_cast<PHINode>(condition))
      return all_of(phi->incoming_values(), [&](const Use& use) {
        return !loop_.contains(phi->getIncomingBlock(use)) || isProven(use, wanted, depth);
      });
    return isSuccess(*condition, wanted) || comparesChanging(*condition);
  }

  bool comparesChanging(const Value& condition) {
    auto* compare = dyn_cast<CmpInst>(&condition);
    if (!compare)
      return false;
    const Value *left = compare->getOperand(0), *right = compare->getOperand(1);
    auto* integers = dyn_cast<ICmpInst>(compare);
    bool asks_atomic = isAtomicRead(left) || isAtomicRead(right);
    return (changes(left) || changes(right)) && !(integers && integers->isEquality() && asks_atomic);
  }
  bool isAtomicRead(const Value* value) const {
    if (auto* part = dyn_cast<ExtractValueInst>(value))
      value = part->getAggregateOperand();
    const Instruction* instruction = inside(value);
    return instruction && instruction->isAtomic();
  }

  // `condition` says whether a compare-exchange, which is tried in each iteration with what was read at its place, has
  // stored. Where it has not, another thread has.
  bool isSuccess(const Value& condition, bool wanted) const {
    ICmpInst::Predicate predicate;
    const Value *left = nullptr, *right = nullptr;
    if (auto* part = dyn_cast<ExtractValueInst>(&condition))
      return wanted && part->getIndices().front() == 1 && isRetried(part->getAggregateOperand());
    if (!match(&condition, m_ICmp(predicate, m_Value(left), m_Value(right))))
      return false;
    if (predicate != (wanted ? ICmpInst::ICMP_EQ : ICmpInst::ICMP_NE))
      return false;
    return isFoundBy(left, right) || isFoundBy(right, left);
  }
  bool isFoundBy(const Value* found, const Value* expected) const {
    auto* part = dyn_cast<ExtractValueInst>(found);
    if (!part || !isRetried(part->getAggregateOperand()))
      return false;
    return isOneExpression(cast<AtomicCmpXchgInst>(part->getAggregateOperand())->getCompareOperand(), expected);
  }
  bool isRetried(const Value* value) const {
    auto* exchange = dyn_cast<AtomicCmpXchgInst>(value);
    SmallPtrSet<const Value*, 8> seen;
    return exchange && inside(exchange) && isPassed(exchange->getParent()) &&
           isReadOf(exchange->getCompareOperand(), *exchange->getPointerOperand(), seen);
  }
  bool isReadOf(const Value* value, const Value& place, SmallPtrSetImpl<const Value*>& seen) const {
    if (!seen.insert(value).second)
      return true;
    if (auto* phi = dyn_cast<PHINode>(value))
      return all_of(phi->incoming_values(), [&](const Use& use) { return isReadOf(use, place, seen); });
    if (auto* select = dyn_cast<SelectInst>(value))
      return isReadOf(select->getTrueValue(), place, seen) && isReadOf(select->getFalseValue(), place, seen);
    if (auto* part = dyn_cast<ExtractValueInst>(value))
      value = part->getAggregateOperand();
    else if (isa<BitCastInst, FreezeInst>(value))
      return isReadOf(cast<Instruction>(value)->getOperand(0), place, seen);
    auto* read = dyn_cast<Instruction>(value);
    return read && placeOf(*read) && isOneExpression(placeOf(*read), &place);
  }

  // ---- computation of the end

  static const Value* placeOf(const Instruction& read) { return isa<StoreInst>(read) ? nullptr : accessedBy(read); }

  bool isRead(const Instruction& instruction) {
    if (!placeOf(instruction) || !sharedPlaceOf(instruction))
      return false;
    if (!is_fresh_)
      is_fresh_ = any_of(loop_.blocks(), [](BasicBlock* block) { return any_of(*block, refreshes); });
    return instruction.isAtomic() || *is_fresh_;
  }

  void mark(Value* value) {
    if (auto* instruction = dyn_cast<Instruction>(value); instruction && loop_.contains(instruction))
      slice_.insert(instruction);
  }
  void reach(BasicBlock* block) {
    if (loop_.contains(block) && reached_.insert(block).second)
      new_blocks_.insert(block);
  }

  // All that the loop's exits depend on, as values and as control flow (LLVM's ADCE finds what is alive like that).
  void findSlice() {
    SmallPtrSet<BasicBlock*, 16> inside(loop_.block_begin(), loop_.block_end());
    SmallVector<BasicBlock*, 4> exiting;
    loop_.getExitingBlocks(exiting);
    for (BasicBlock* block : exiting) {
      mark(block->getTerminator());
      reach(block);
    }
    for (size_t done = 0; done < slice_.size() || !new_blocks_.empty();) {
      for (; done < slice_.size(); ++done)
        follow(*slice_[done]);
      SmallVector<BasicBlock*, 8> deciding;
      ReverseIDFCalculator frontier(later_);
      frontier.setDefiningBlocks(new_blocks_);
      frontier.setLiveInBlocks(inside);
      frontier.calculate(deciding);
      new_blocks_.clear();
      for (BasicBlock* block : deciding) {
        reached_.insert(block);
        mark(block->getTerminator());
      }
    }
  }
  void follow(Instruction& instruction) {
    for (Value* operand : instruction.operand_values())
      mark(operand);
    if (auto* phi = dyn_cast<PHINode>(&instruction))
      for (BasicBlock* from : phi->blocks())
        reach(from);
  }

  const Loop& loop_;
  const LoopInfo& loops_;
  const DominatorTree& dominators_;
  PostDominatorTree& later_;
  DenseMap<const PHINode*, bool> moving_;
  Memory changing_;
  // conditions that are proven to become so; those that are being looked at
  DenseSet<std::pair<const Value*, unsigned>> proven_, asked_;
  SetVector<Instruction*> slice_;
  SmallPtrSet<BasicBlock*, 8> reached_, new_blocks_;
  std::optional<bool> is_fresh_; // do plain loads see what other threads write?
};

// The value that an address begins with. A parameter of a spawn is known by its slot, as each of its versions is a value
// of its own.
struct Base {
  const Value* value;
  std::optional<unsigned> slot = {};
  bool is_known = false; // its memory has no other name

  explicit Base(const Value& place) : value(getUnderlyingObject(&place, 0)) {
    auto* call = dyn_cast<CallInst>(value);
    if (call && opOf(*call) == Op::CheckAccess) {
      *this = Base(*call->getArgOperand(1));
      return;
    }
    if (call && opOf(*call) == Op::Param)
      slot = constantArgument(*call, 0);
    is_known = slot || isa<Argument, GlobalVariable, AllocaInst>(value);
  }
  Base(const Base&) = default;
  Base& operator=(const Base&) = default;
  bool operator==(const Base& other) const { return slot ? slot == other.slot : value == other.value; }
};

} // namespace

SmallVector<WaitingLoop, 0> findWaitingLoops(ArrayRef<Loop*> suspects, const LoopInfo& loops, DominatorTrees trees) {
  SmallVector<WaitingLoop, 0> waiting;
  for (Loop* loop : suspects) {
    bool may_read = any_of(loop->blocks(), [](BasicBlock* block) {
      return any_of(*block, [](Instruction& each) { return each.isAtomic() && !isa<StoreInst>(each); });
    });
    if (!may_read)
      continue;
    LoopEnd end(*loop, loops, trees.before(), trees.behind());
    if (end.comesByItself())
      continue;
    if (auto reads = end.reads(); !reads.empty())
      waiting.push_back({loop, std::move(reads)});
  }
  return waiting;
}

bool isOnlyRead(const Instruction& read) {
  auto* update = dyn_cast<AtomicRMWInst>(&read);
  if (!update)
    return isa<LoadInst>(read);
  auto* operand = dyn_cast<ConstantInt>(update->getValOperand());
  switch (update->getOperation()) {
  case AtomicRMWInst::Add:
  case AtomicRMWInst::Sub:
  case AtomicRMWInst::Or:
  case AtomicRMWInst::Xor:
    return operand && operand->isZero();
  case AtomicRMWInst::And:
    return operand && operand->isMinusOne();
  default:
    return false;
  }
}

const Value* sharedPlaceOf(const Instruction& access) {
  const Value* place = accessedBy(access);
  if (auto* fill = dyn_cast<MemIntrinsic>(&access))
    place = fill->getRawDest();
  bool is_private = place && !access.isAtomic() && isa<AllocaInst>(getUnderlyingObject(place, 0));
  return is_private ? nullptr : place;
}

bool isSharedWrite(const Instruction& access) {
  return access.mayWriteToMemory() && !isa<LoadInst>(access) && !isOnlyRead(access) && sharedPlaceOf(access);
}

bool mayBeOnePlace(const Value& a, const Value& b) {
  Base left(a), right(b);
  if (left == right) {
    const DataLayout* layout = nullptr;
    if (auto* at = dyn_cast<Instruction>(&a))
      layout = &at->getDataLayout();
    if (!layout)
      return true;
    APInt of_left(layout->getIndexTypeSizeInBits(a.getType()), 0), of_right(of_left);
    const Value* from_left = a.stripAndAccumulateConstantOffsets(*layout, of_left, true);
    const Value* from_right = b.stripAndAccumulateConstantOffsets(*layout, of_right, true);
    return from_left != from_right || from_left != left.value || of_left == of_right;
  }
  return !left.is_known || !right.is_known;
}

} // namespace bsgp::ir
