#include "bsp/cheap_values.h"

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/IntrinsicInst.h>

#include "ir/freedom.h"

namespace bsgp::bsp {

using namespace llvm;

namespace {

constexpr unsigned kMostOperations = 16;

unsigned operationsOf(const Instruction& instruction) {
  constexpr unsigned kDivision = 8, kIntrinsic = 4;
  switch (instruction.getOpcode()) {
  case Instruction::SDiv:
  case Instruction::UDiv:
  case Instruction::SRem:
  case Instruction::URem:
  case Instruction::FDiv:
    return kDivision;
  case Instruction::FRem:
  case Instruction::Load:
    return kMostOperations + 1;
  case Instruction::Call:
    if (ir::asksOfHost(instruction))
      return 1;
    return isa<IntrinsicInst>(instruction) ? kIntrinsic : kMostOperations + 1;
  default:
    return 1;
  }
}

} // namespace

bool isCheap(const Instruction& value, function_ref<bool(const Instruction&)> known) {
  SmallVector<const Instruction*, 8> work{&value};
  SmallPtrSet<const Instruction*, 16> seen{&value};
  unsigned operations = 0;
  while (!work.empty()) {
    const Instruction* made = work.pop_back_val();
    operations += operationsOf(*made);
    if (operations > kMostOperations || !ir::isExpression(*made))
      return false;
    for (const Value* operand : made->operands())
      if (auto* instruction = dyn_cast<Instruction>(operand);
          instruction && !known(*instruction) && seen.insert(instruction).second)
        work.push_back(instruction);
  }
  return true;
}

} // namespace bsgp::bsp
