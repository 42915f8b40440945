#include "bsp/search_choices.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>

namespace bsgp::bsp {

using namespace llvm;

namespace {

// Returns the value that a block's branch compares with a constant for equality.
Value* comparedAtEndOf(const BasicBlock& block) {
  auto* branch = dyn_cast<BranchInst>(block.getTerminator());
  auto* compare = branch && branch->isConditional() ? dyn_cast<ICmpInst>(branch->getCondition()) : nullptr;
  return compare && compare->isEquality() && isa<ConstantInt>(compare->getOperand(1)) ? compare->getOperand(0)
                                                                                      : nullptr;
}

// True if the block is the path on which the search goes on, behind a comparison of the same value.
bool followsASearch(const BasicBlock& block, const LoopInfo& loops, const Value* compared) {
  const Loop* loop = loops.getLoopFor(&block);
  const BasicBlock* before = block.getSinglePredecessor();
  return loop && before && loops.getLoopFor(before) == loop && comparedAtEndOf(*before) == compared &&
         any_of(successors(before), [&](const BasicBlock* next) { return !loop->contains(next); });
}

// Returns the side of the branch that leads to the other side and does nothing else; or null.
BasicBlock* emptyArm(const BranchInst& branch) {
  for (unsigned side : {0, 1}) {
    BasicBlock* arm = branch.getSuccessor(side);
    auto* end = dyn_cast<BranchInst>(&*arm->begin());
    if (end && end->isUnconditional() && arm->getSinglePredecessor() &&
        end->getSuccessor(0) == branch.getSuccessor(1 - side))
      return arm;
  }
  return nullptr;
}

bool choose(BranchInst& branch) {
  BasicBlock* arm = emptyArm(branch);
  if (!arm)
    return false;
  BasicBlock *from = branch.getParent(), *join = arm->getSingleSuccessor();
  bool arm_is_true = branch.getSuccessor(0) == arm;
  IRBuilder<> builder(&branch);
  for (PHINode& phi : join->phis()) {
    Value *in_arm = phi.getIncomingValueForBlock(arm), *else_ = phi.getIncomingValueForBlock(from);
    Value* chosen =
        builder.CreateSelect(branch.getCondition(), arm_is_true ? in_arm : else_, arm_is_true ? else_ : in_arm);
    phi.setIncomingValueForBlock(from, chosen);
  }
  join->removePredecessor(arm, /*KeepOneInputPHIs=*/true);
  builder.CreateBr(join)->setDebugLoc(branch.getDebugLoc());
  branch.eraseFromParent();
  arm->eraseFromParent();
  return true;
}

} // namespace

PreservedAnalyses SearchChoicesPass::run(Function& function, FunctionAnalysisManager& analyses) {
  const LoopInfo& loops = analyses.getResult<LoopAnalysis>(function);
  std::vector<BranchInst*> branches;
  for (BasicBlock& block : function)
    if (const Value* compared = comparedAtEndOf(block); compared && followsASearch(block, loops, compared))
      branches.push_back(cast<BranchInst>(block.getTerminator()));
  bool changed = false;
  for (BranchInst* branch : branches)
    changed |= choose(*branch);
  return changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

} // namespace bsgp::bsp
