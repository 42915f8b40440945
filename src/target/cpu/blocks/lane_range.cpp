#include "target/cpu/blocks/lane_range.h"

#include <llvm/IR/PatternMatch.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

namespace bsgp::target {

using namespace llvm;
using namespace llvm::PatternMatch;

namespace {

bool doesNothing(const BasicBlock& block) {
  return none_of(block, [](const Instruction& instruction) { return instruction.mayHaveSideEffects(); });
}

// Leads the edge out of the region through nothing but empty blocks?
bool leavesAtOnce(const BasicBlock* to, const Regions& regions) {
  for (unsigned steps = 0; steps != 8; ++steps) {
    if (regions.isLeader(to))
      return true;
    if (!doesNothing(*to))
      return false;
    if (isa<ReturnInst>(to->getTerminator()))
      return true;
    to = to->getSingleSuccessor();
    if (!to)
      return false;
  }
  return false;
}

} // namespace

bool isRange(const LaneTest& test) {
  switch (test.predicate) {
  case CmpInst::ICMP_NE:
    return !test.of_rank && match(test.bound, m_Zero());
  case CmpInst::ICMP_ULE:
  case CmpInst::ICMP_UGT:
    return !test.of_rank;
  default:
    return true;
  }
}

namespace {

// The comparison itself, or one of several that must all hold (on the side where it is true).
std::optional<LaneGuard> guardOf(BranchInst& branch, unsigned side, const BlockTerms& terms) {
  Value* condition = branch.getCondition();
  if (auto test = laneTest(*condition, terms)) {
    if (side == 1)
      test->predicate = CmpInst::getInversePredicate(test->predicate);
    return LaneGuard{&branch, *test, side, true};
  }
  Value *first, *second;
  if (side == 1 || !match(condition, m_LogicalAnd(m_Value(first), m_Value(second))))
    return std::nullopt;
  for (Value* part : {first, second})
    if (auto test = laneTest(*part, terms))
      return LaneGuard{&branch, *test, side, false};
  return std::nullopt;
}

} // namespace

std::optional<LaneGuard> findLaneGuard(const Region& region, const Regions& regions, const UniformValues& uniform,
                                       const BlockTerms& terms) {
  auto* branch = dyn_cast<BranchInst>(region.leader()->getTerminator());
  if (!branch || !branch->isConditional() || branch == region.decision || !doesNothing(*region.leader()))
    return std::nullopt;
  for (unsigned side : {0u, 1u}) {
    auto guard = guardOf(*branch, side, terms);
    if (guard && isRange(guard->test) && uniform.has(*guard->test.bound) &&
        leavesAtOnce(branch->getSuccessor(1 - side), regions))
      return guard;
  }
  return std::nullopt;
}

namespace {

bool isNeededOnlyUnder(const Instruction& value, const BasicBlock* block, const DominatorTree& dominators) {
  return !value.use_empty() && all_of(value.uses(), [&](const Use& use) {
    auto* phi = dyn_cast<PHINode>(use.getUser());
    return dominators.dominates(block,
                                phi ? phi->getIncomingBlock(use) : cast<Instruction>(use.getUser())->getParent());
  });
}

void sinkTo(BasicBlock* side, BranchInst& branch, const BlockTerms& terms, const DominatorTree& dominators) {
  bool written = false;
  for (Instruction& instruction : make_early_inc_range(reverse(*branch.getParent()))) {
    bool may_move = !instruction.isTerminator() && !isa<PHINode, AllocaInst>(instruction) && !terms.is(instruction) &&
                    !instruction.mayHaveSideEffects() && !(written && instruction.mayReadFromMemory());
    if (may_move && isNeededOnlyUnder(instruction, side, dominators))
      instruction.moveBefore(*side, side->getFirstInsertionPt());
    written |= instruction.mayWriteToMemory();
  }
}

} // namespace

SmallVector<BranchInst*, 4> isolateLaneBranches(Function& thread, const BlockTerms& terms) {
  SmallVector<BranchInst*, 4> branches;
  for (BasicBlock& block : thread) {
    auto* branch = dyn_cast<BranchInst>(block.getTerminator());
    if (branch && branch->isConditional() && (guardOf(*branch, 0, terms) || guardOf(*branch, 1, terms)))
      branches.push_back(branch);
  }
  DominatorTree dominators(thread);
  for (BranchInst* branch : branches)
    for (BasicBlock* side : branch->successors())
      if (side->getSinglePredecessor())
        sinkTo(side, *branch, terms, dominators);
  for (BranchInst* branch : branches)
    if (branch != &branch->getParent()->front())
      branch->getParent()->splitBasicBlock(branch, "guard");
  return branches;
}

namespace {

// Clamps bounds to the lanes of a block: all in the type of ranks.
class RangeBuilder {
public:
  RangeBuilder(IRBuilder<>& builder, Value* count, bool is_signed)
      : b_(builder), count_(count), is_signed_(is_signed), type_(count->getType()) {}

  Value* zero() { return ConstantInt::get(type_, 0); }
  // The bound as a number of lanes: at most as many as there are, 0 where it is negative.
  Value* clamp(Value* bound) {
    if (is_signed_)
      bound = b_.CreateBinaryIntrinsic(Intrinsic::smax, bound, zero());
    return b_.CreateBinaryIntrinsic(Intrinsic::umin, bound, count_);
  }
  // The same of bound + 1, which may not exist where `bound` is the largest number.
  Value* clampNext(Value* bound) {
    Value* one = ConstantInt::get(type_, 1);
    Value* last = b_.CreateSub(count_, one);
    if (is_signed_)
      bound = b_.CreateBinaryIntrinsic(Intrinsic::smax, bound, ConstantInt::getAllOnesValue(type_));
    bound = is_signed_ ? b_.CreateBinaryIntrinsic(Intrinsic::smin, bound, last)
                       : b_.CreateBinaryIntrinsic(Intrinsic::umin, bound, last);
    return b_.CreateAdd(bound, one);
  }

private:
  IRBuilder<>& b_;
  Value* count_;
  bool is_signed_;
  Type* type_;
};

// A bound of 64 bits beside ranks of 32 is cut to what ranks can be, and to -1 below.
Value* inTypeOfRanks(IRBuilder<>& builder, Value* bound, Type* type, bool is_signed) {
  Type* wide = bound->getType();
  unsigned bits = type->getIntegerBitWidth(), wide_bits = wide->getIntegerBitWidth();
  if (wide_bits > bits) {
    Value* most = ConstantInt::get(wide, APInt::getSignedMaxValue(bits).zext(wide_bits));
    if (is_signed)
      bound = builder.CreateBinaryIntrinsic(Intrinsic::smax, bound, ConstantInt::getAllOnesValue(wide));
    bound = builder.CreateBinaryIntrinsic(is_signed ? Intrinsic::smin : Intrinsic::umin, bound, most);
  }
  return is_signed ? builder.CreateSExtOrTrunc(bound, type) : builder.CreateZExtOrTrunc(bound, type);
}

// Rank and bound both less the block's first rank.
Value* relative(IRBuilder<>& builder, const LaneTest& test, Value* bound, Value* begin) {
  if (ICmpInst::isEquality(test.predicate))
    return builder.CreateSub(bound, begin);
  auto subtract = CmpInst::isSigned(test.predicate) ? Intrinsic::ssub_sat : Intrinsic::usub_sat;
  return builder.CreateBinaryIntrinsic(subtract, bound, begin);
}

} // namespace

LaneRange lanesThatHold(IRBuilder<>& builder, const LaneTest& test, Value* bound, Value* begin, Value* count) {
  Type* type = count->getType();
  bool is_signed = CmpInst::isSigned(test.predicate);
  bound = inTypeOfRanks(builder, bound, type, is_signed);
  if (test.of_rank)
    bound = relative(builder, test, bound, begin);
  RangeBuilder range(builder, count, is_signed);
  switch (test.predicate) {
  case CmpInst::ICMP_EQ:
    return {bound, nullptr, false, builder.CreateICmpULT(bound, count)};
  case CmpInst::ICMP_NE: // 0
    return {ConstantInt::get(type, 1), count, false, nullptr};
  case CmpInst::ICMP_ULT:
  case CmpInst::ICMP_SLT:
    return {range.zero(), range.clamp(bound), false, nullptr};
  case CmpInst::ICMP_ULE:
  case CmpInst::ICMP_SLE:
    return {range.zero(), range.clampNext(bound), false, nullptr};
  case CmpInst::ICMP_UGT:
  case CmpInst::ICMP_SGT:
    return {range.clampNext(bound), count, false, nullptr};
  default: // not less
    return {range.clamp(bound), count, false, nullptr};
  }
}

} // namespace bsgp::target
