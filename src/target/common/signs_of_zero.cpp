#include "target/common/signs_of_zero.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/PatternMatch.h>

namespace bsgp::target {

using namespace llvm;

namespace {

bool mayBeZero(const Value* value) {
  const APFloat* number;
  return !PatternMatch::match(value, PatternMatch::m_APFloat(number)) || number->isZero();
}

// True for a minimum or maximum of the values that it compares.
bool isMinimumOrMaximum(const SelectInst& choice) {
  auto* comparison = dyn_cast<FCmpInst>(choice.getCondition());
  if (!comparison || choice.hasNoSignedZeros())
    return false;
  const Value *left = comparison->getOperand(0), *right = comparison->getOperand(1);
  const Value *yes = choice.getTrueValue(), *no = choice.getFalseValue();
  bool same = (yes == left && no == right) || (yes == right && no == left);
  return same && mayBeZero(left) && mayBeZero(right);
}

} // namespace

void keepSignsOfZero(Module& module) {
  for (Function& function : module)
    for (Instruction& instruction : instructions(function))
      if (auto* choice = dyn_cast<SelectInst>(&instruction);
          choice && isa<FPMathOperator>(choice) && isMinimumOrMaximum(*choice))
        choice->setCondition(IRBuilder<>(choice).CreateFreeze(choice->getCondition()));
}

} // namespace bsgp::target
