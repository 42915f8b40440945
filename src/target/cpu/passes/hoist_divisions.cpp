// A division in a branch whose operands do not change in the loop stays in the branch: it might trap, so LICM may not
// move it. LLVM 19's vectorizer then runs it under the condition of lane 0 alone and gives the other lanes poison (seen
// with 19.1.7: a predicated division of live-ins becomes one scalar division in `if (mask[0])`).
//
//   loop: if (c) x = a / b            before: %q = udiv a, (b == 0 ? 1 : b)
//                                     loop:   if (c) x = %q
//
// Requires: loops in simplified form (a preheader). Ensures: no division of loop-invariant integers inside a loop that has one. The
// hoisted division runs where the original may not have, so it guards itself against what traps: its result there is
// never used.
#include "target/cpu/passes/hoist_divisions.h"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>

namespace bsgp::target {

using namespace llvm;

namespace {

bool isDivision(const Instruction& instruction) {
  unsigned code = instruction.getOpcode();
  return (code == Instruction::UDiv || code == Instruction::SDiv || code == Instruction::URem ||
          code == Instruction::SRem) &&
         instruction.getType()->isIntegerTy();
}

Value* guarded(BinaryOperator& division, IRBuilder<>& builder) {
  Value* left = builder.CreateFreeze(division.getOperand(0));
  Value* right = builder.CreateFreeze(division.getOperand(1));
  Type* type = division.getType();
  bool is_signed = division.getOpcode() == Instruction::SDiv || division.getOpcode() == Instruction::SRem;
  Value* traps = builder.CreateICmpEQ(right, ConstantInt::get(type, 0));
  Value* minus_one = is_signed ? builder.CreateICmpEQ(right, ConstantInt::getAllOnesValue(type)) : nullptr;
  if (minus_one)
    traps = builder.CreateOr(traps, minus_one);
  Value* result =
      builder.CreateBinOp(division.getOpcode(), left, builder.CreateSelect(traps, ConstantInt::get(type, 1), right));
  if (!minus_one)
    return result;
  Value* by_minus_one = division.getOpcode() == Instruction::SDiv ? builder.CreateNeg(left) : ConstantInt::get(type, 0);
  return builder.CreateSelect(minus_one, by_minus_one, result);
}

bool hoist(Loop& loop) {
  bool changed = false;
  for (Loop* inner : loop)
    changed |= hoist(*inner);
  BasicBlock* before = loop.getLoopPreheader();
  if (!before)
    return changed;
  for (BasicBlock* block : loop.blocks())
    for (Instruction& instruction : make_early_inc_range(*block)) {
      if (!isDivision(instruction))
        continue;
      bool moved = true; // operands that can move without risk come along
      for (Value* operand : instruction.operands())
        moved &= loop.makeLoopInvariant(operand, changed, before->getTerminator());
      if (!moved)
        continue;
      IRBuilder<> builder(before->getTerminator());
      instruction.replaceAllUsesWith(guarded(cast<BinaryOperator>(instruction), builder));
      instruction.eraseFromParent();
      changed = true;
    }
  return changed;
}

} // namespace

PreservedAnalyses HoistDivisionsPass::run(Function& function, FunctionAnalysisManager& analyses) {
  bool changed = false;
  for (Loop* loop : analyses.getResult<LoopAnalysis>(function))
    changed |= hoist(*loop);
  if (!changed)
    return PreservedAnalyses::all();
  PreservedAnalyses kept;
  kept.preserveSet<CFGAnalyses>();
  return kept;
}

} // namespace bsgp::target
