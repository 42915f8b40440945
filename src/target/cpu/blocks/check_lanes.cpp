#include "target/cpu/blocks/check_lanes.h"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/Transforms/Scalar/LoopPassManager.h>
#include <llvm/Transforms/Scalar/LoopUnrollPass.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>

#include "bsp/region.h"
#include "ir/operations.h"
#include "plan/check_abi.h"
#include "target/common/check_sites.h"
#include "target/common/function_passes.h"
#include "target/cpu/calls/check_rows.h"
#include "target/cpu/ranks/rank_lines.h"

namespace bsgp::target {

using namespace llvm;
using ir::Op;

namespace {

constexpr unsigned kMostLines = 64, kMostBlocks = 64, kMostFollowing = 16;

bool isShared(const CallInst& operation) {
  return factsOf(*operation.getArgOperand(operation.arg_size() - 1)).space == BSGP_MEMORY_SHARED;
}

bool isOnShared(const Instruction& instruction) {
  Op op = ir::opOf(instruction);
  return (op == Op::CheckAccess || op == Op::CheckIsWritten || op == Op::CheckSetWritten) &&
         isShared(cast<CallInst>(instruction));
}

bool isTrue(const Value* value) {
  auto* constant = dyn_cast<ConstantInt>(value);
  return constant && constant->isOne();
}

// True if the instruction may end a thread, or orders threads in other ways than block.sync does: then nothing is
// proven.
bool hindersLines(const Instruction& instruction) {
  switch (ir::opOf(instruction)) {
  case Op::Assert:
  case Op::CheckBlockSync:
  case Op::CheckWarpSync:
  case Op::CheckFence:
    return true;
  default:
    return false;
  }
}

StructType* reachType(LLVMContext& context) {
  Type* word = Type::getInt64Ty(context);
  return StructType::get(context, {PointerType::get(context, 0), word, word, word});
}

// All regions share one array.
AllocaInst* reachesOf(const BlockFrame& frame) {
  for (Instruction& instruction : *frame.entry)
    if (auto* found = dyn_cast<AllocaInst>(&instruction); found && found->getName() == "lane.reaches")
      return found;
  auto* type = ArrayType::get(reachType(frame.entry->getContext()), kMostLines);
  return new AllocaInst(type, 0, "lane.reaches", frame.entry->begin());
}

} // namespace

// Returns the block.sync check that the region begins with, if only code for which nothing watches the order (stores
// to a thread's own variables) stands before it.
Instruction* passedSync(const Region& region) {
  auto keeps = [](const Instruction& instruction) {
    auto* store = dyn_cast<StoreInst>(&instruction);
    return store && isa<AllocaInst>(getUnderlyingObject(store->getPointerOperand()));
  };
  for (Instruction& instruction : *region.leader())
    if (ir::opOf(instruction) == Op::CheckBlockSync)
      return &instruction;
    else if (instruction.mayHaveSideEffects() && !keeps(instruction))
      return nullptr;
  return nullptr;
}

void noteSyncsBehind(Function& thread) {
  for (BasicBlock& block : thread) {
    Instruction* note = nullptr;
    for (Instruction& instruction : make_early_inc_range(block)) {
      if (!instruction.mayHaveSideEffects())
        continue;
      if (note && ir::opOf(instruction) == Op::BlockSync)
        note->moveAfter(&instruction);
      note = ir::opOf(instruction) == Op::CheckBlockSync ? &instruction : nullptr;
    }
  }
}

void writeOutLoops(Function& thread) {
  if (none_of(instructions(thread), isOnShared))
    return;
  LoopPassManager loops;
  loops.addPass(LoopFullUnrollPass(/*OptLevel=*/2, /*OnlyWhenForced=*/true));
  FunctionPassManager passes;
  passes.addPass(createFunctionToLoopPassAdaptor(std::move(loops), /*UseMemorySSA=*/false));
  passes.addPass(SimplifyCFGPass());
  FunctionPasses(Triple(thread.getParent()->getTargetTriple()), nullptr, nullptr).run(thread, passes);
}

LaneChecks::LaneChecks(const BlockKernel& kernel, BlockFrame& frame, const Region& region, const LaneGuard* guard)
    : kernel_(kernel), frame_(frame), region_(region) {
  const BasicBlock* begin = guard && guard->exact ? guard->branch->getSuccessor(guard->side) : region.leader();
  auto is_always = [](const Access& access) { return (access.uses & BSGP_USE_ALWAYS) != 0; };
  if (!findAccesses(begin) || !knowsAll() || (!all_of(accesses_, is_always) && mayFollow()))
    accesses_.clear();
}

bool LaneChecks::findAccesses(const BasicBlock* begin) {
  Instruction* sync = passedSync(region_);
  for (BasicBlock* block : region_.blocks)
    for (Instruction& instruction : *block) {
      if (hindersLines(instruction) && &instruction != sync)
        return false;
      bool is_access = ir::opOf(instruction) == Op::CheckAccess && isOnShared(instruction);
      if (is_access && !add(cast<CallInst>(instruction), begin))
        return false;
    }
  return true;
}

// True if all checks of shared memory in the region belong to the accesses that were found.
bool LaneChecks::knowsAll() const {
  SmallPtrSet<const Instruction*, 32> known;
  for (const Access& access : accesses_) {
    known.insert(access.check);
    known.insert(access.asks.begin(), access.asks.end());
    known.insert(access.sets.begin(), access.sets.end());
  }
  for (BasicBlock* block : region_.blocks)
    for (Instruction& instruction : *block)
      if (isOnShared(instruction) && !known.contains(&instruction))
        return false;
  return true;
}

bool LaneChecks::add(CallInst& check, const BasicBlock* begin) {
  SiteFacts facts = factsOf(*check.getArgOperand(2));
  auto* base = dyn_cast<GlobalVariable>(check.getArgOperand(1)->stripPointerCasts());
  bool is_plain = facts.access == BSGP_ACCESS_READ || facts.access == BSGP_ACCESS_WRITE;
  if (!base || !is_plain || accesses_.size() == kMostLines)
    return false;
  Access access{&check, base, BSGP_USE_LINE, {}, {}};
  if (region_.blocks.size() <= kMostBlocks && isAlways(check.getParent(), begin))
    access.uses |= BSGP_USE_ALWAYS;
  else
    narrow(access);
  auto [asks, sets] = writtenCallsOf(check);
  access.asks = std::move(asks), access.sets = std::move(sets);
  bool is_set_later = any_of(access.sets, [&](CallInst* set) { return set->getParent() != check.getParent(); });
  if (is_set_later)
    access.uses &= ~uint64_t(BSGP_USE_ALWAYS);
  accesses_.push_back(std::move(access));
  return true;
}

// Notes the test of an access behind `if (block.rank < n)`.
void LaneChecks::narrow(Access& access) const {
  const BasicBlock *block = access.check->getParent(), *before = block->getSinglePredecessor();
  auto* branch = before ? dyn_cast<BranchInst>(before->getTerminator()) : nullptr;
  if (!branch || !branch->isConditional() || !is_contained(region_.blocks, before))
    return;
  std::optional<LaneTest> test = laneTest(*branch->getCondition(), *kernel_.terms);
  if (!test || test->of_rank || !kernel_.uniform->has(*test->bound))
    return;
  if (branch->getSuccessor(1) == block)
    test->predicate = CmpInst::getInversePredicate(test->predicate);
  if (isRange(*test))
    access.test = test;
}

// As check_abi.h has it: which lanes come to it.
Value* LaneChecks::isLine(IRBuilder<>& builder, RegionValues& values, const Access& access, Value* exact) const {
  Type* word = builder.getInt64Ty();
  if (!access.test)
    return builder.CreateZExt(exact, word);
  LaneRange range =
      lanesThatHold(builder, *access.test, values.uniform(access.test->bound), frame_.begin, frame_.count);
  auto isIn = [&](const LaneRange& only, Value* lane) {
    Value* is_lane = builder.CreateICmpEQ(builder.CreateZExt(only.first, word), lane);
    return builder.CreateAnd(builder.CreateAnd(only.only, is_lane), builder.CreateICmpULT(lane, end_));
  };
  auto within = [&](Value* lane) {
    Value* wide = builder.CreateBinaryIntrinsic(Intrinsic::umax, builder.CreateZExt(lane, word), first_);
    return builder.CreateBinaryIntrinsic(Intrinsic::umin, wide, end_);
  };
  Value* from = within(range.first);
  Value* to = range.end ? within(range.end) : builder.CreateAdd(from, builder.CreateZExt(isIn(range, from), word));
  Value* some = builder.CreateBinaryIntrinsic(Intrinsic::usub_sat, to, from);
  Value* skipped = builder.CreateShl(builder.CreateSub(from, first_), 1);
  Value* missing = builder.CreateShl(builder.CreateSub(count_, some), 32);
  Value* packed = builder.CreateOr(builder.getInt64(1), builder.CreateOr(skipped, missing));
  return builder.CreateSelect(exact, packed, builder.getInt64(0));
}

// True if all lanes that come to `begin` come to `block`.
bool LaneChecks::isAlways(const BasicBlock* block, const BasicBlock* begin) const {
  if (block == begin)
    return true;
  SmallVector<const BasicBlock*, 16> open{begin};
  SmallPtrSet<const BasicBlock*, 16> seen{begin};
  while (!open.empty()) {
    const BasicBlock* at = open.pop_back_val();
    if (succ_empty(at) || at->getTerminator() == region_.decision)
      return false;
    for (const BasicBlock* next : successors(at)) {
      if (kernel_.regions->isLeader(next))
        return false;
      if (next != block && seen.insert(next).second)
        open.push_back(next);
    }
  }
  return true;
}

// True if an access of shared memory may follow the region before all threads pass a block.sync.
bool LaneChecks::mayFollow() const {
  SmallVector<BasicBlock*, 4> open(region_.next.begin(), region_.next.end());
  SmallPtrSet<BasicBlock*, 8> seen(open.begin(), open.end());
  while (!open.empty()) {
    BasicBlock* leader = open.pop_back_val();
    for (unsigned number : kernel_.regions->of(leader)) {
      const Region& next = kernel_.regions->all()[number];
      if (next.leader() != leader || passedSync(next))
        continue;
      if (seen.size() > kMostFollowing ||
          any_of(next.blocks, [](BasicBlock* block) { return any_of(*block, isOnShared); }))
        return true;
      for (BasicBlock* behind : next.next)
        if (seen.insert(behind).second)
          open.push_back(behind);
    }
  }
  return false;
}

bool LaneChecks::findLines(IRBuilder<>& builder, RegionValues& values, Value* first, Value* end, Value* first_rank) {
  Type* word = builder.getInt64Ty();
  Value* begin = first_ = builder.CreateZExt(first, word);
  end_ = builder.CreateZExt(end, word);
  count_ = builder.CreateSub(end_, begin);
  first_rank_ = builder.CreateSExt(first_rank, word);
  Value* more = builder.CreateSub(count_, builder.getInt64(1));
  RankLines lines(builder, DenseMap<Value*, Value*>(), count_);
  lines.setUniform([&](Value& value) -> Value* {
    if (isa<Argument>(value))
      return &value;
    auto* instruction = dyn_cast<Instruction>(&value);
    bool is_known = instruction && (instruction == kernel_.terms->id || instruction == kernel_.terms->size ||
                                    kernel_.uniform->has(*instruction));
    return is_known ? values.uniform(instruction) : nullptr;
  });
  if (kernel_.terms->lane)
    lines.set(kernel_.terms->lane, {begin, builder.CreateAdd(begin, more), builder.getTrue()});
  if (kernel_.terms->rank)
    lines.set(kernel_.terms->rank, {first_rank_, builder.CreateAdd(first_rank_, more), builder.getTrue()});
  for (Access& access : accesses_) {
    std::optional<RankLine> line = lines.of(access.check->getArgOperand(0));
    if (!line)
      return false;
    access.first = line->first, access.last = line->last;
    access.is_line = isLine(builder, values, access, line->exact);
  }
  return true;
}

bool LaneChecks::drop(const bsp::RegionCopy& copy, ArrayRef<BasicBlock*> blocks) {
  for (Access& access : accesses_) {
    if (!access.asks.empty())
      access.uses |= BSGP_USE_ASKS;
    for (CallInst* ask : access.asks) {
      auto* copied = cast<CallInst>(copy.lookup(ask));
      copied->replaceAllUsesWith(ConstantInt::getTrue(copied->getType()));
      copied->eraseFromParent();
    }
  }
  dropKnown(blocks);
  for (Access& access : accesses_) {
    for (CallInst* set : access.sets) {
      auto* copied = cast<CallInst>(copy.lookup(set));
      if (!isTrue(copied->getArgOperand(1)))
        return false;
      access.uses |= BSGP_USE_SETS;
      copied->eraseFromParent();
    }
    auto* copied = cast<CallInst>(copy.lookup(access.check));
    copied->replaceAllUsesWith(copied->getArgOperand(0));
    copied->eraseFromParent();
  }
  return true;
}

Constant* LaneChecks::rows(IRBuilder<>& builder) const {
  Module& module = *frame_.function->getParent();
  auto* use = StructType::get(builder.getContext(), {builder.getPtrTy(), builder.getInt64Ty()});
  std::vector<Constant*> uses;
  for (const Access& access : accesses_)
    uses.push_back(
        ConstantStruct::get(use, {cast<Constant>(access.check->getArgOperand(2)), builder.getInt64(access.uses)}));
  auto constant = [&](Constant* value) {
    return new GlobalVariable(module, value->getType(), true, GlobalValue::PrivateLinkage, value, "lane.rows");
  };
  Constant* table = constant(ConstantArray::get(ArrayType::get(use, uses.size()), uses));
  return constant(ConstantStruct::getAnon({table, builder.getInt32(unsigned(uses.size())), builder.getInt32(0)}));
}

Value* LaneChecks::ask(IRBuilder<>& builder) {
  AllocaInst* array = reachesOf(frame_);
  Type *pointer = builder.getPtrTy(), *word = builder.getInt64Ty();
  Value* zero = builder.getInt64(0);
  for (auto [index, access] : enumerate(accesses_)) {
    Value* fields[] = {builder.CreateAddrSpaceCast(access.base, pointer), access.first, access.last, access.is_line};
    for (unsigned field = 0; field < 4; ++field)
      builder.CreateStore(fields[field],
                          builder.CreateInBoundsGEP(array->getAllocatedType(), array,
                                                    {zero, builder.getInt64(index), builder.getInt32(field)}));
  }
  FunctionCallee decide = frame_.function->getParent()->getOrInsertFunction("bsgp_rt_check_lanes", builder.getInt32Ty(),
                                                                            pointer, word, word, pointer, pointer);
  cast<Function>(decide.getCallee())->setDoesNotThrow();
  Value* launch = frame_.function->getArg(RankLoop::kLaunch);
  return builder.CreateIsNotNull(builder.CreateCall(decide, {launch, first_rank_, count_, rows(builder), array}));
}

} // namespace bsgp::target
