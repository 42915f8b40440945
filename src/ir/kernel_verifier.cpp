// Of each kernel: of our operations only what the targets lower.
#include <fmt/format.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>

#include "ir/operations.h"
#include "ir/verifier.h"
#include "ir/verifier_common.h"

namespace bsgp::ir {

using namespace llvm;

namespace {

std::string violationIn(const Function& kernel) {
  for (const Instruction& instruction : instructions(kernel)) {
    Op op = opOf(instruction);
    bool allowed = op == Op::None || op == Op::Assert || op == Op::Print || op == Op::BlockSync ||
                   op == Op::WarpShuffle || op == Op::WarpBallot || op == Op::WarpSync || isOfTile(op) ||
                   (op == Op::Rank && isa<ConstantInt>(cast<CallInst>(instruction).getArgOperand(0)));
    if (!allowed)
      return violationAt(instruction, "a kernel has no supersteps");
  }
  return violationOfLlvm(kernel);
}

} // namespace

std::string violationIn(const Kernels& kernels) {
  FunctionSet functions;
  for (const plan::Plan& plan : kernels.plans)
    for (const plan::Kernel& kernel : plan.kernels) {
      const Function* function = kernels.module->getFunction(kernel.symbol);
      if (!function)
        return fmt::format("{}: the plan {} names it, the module has no such function", kernel.symbol, plan.name);
      functions.insert(function);
      if (std::string violation = violationIn(*function); !violation.empty())
        return inFunction(*function, violation);
    }
  return violationOutside(*kernels.module, functions);
}

} // namespace bsgp::ir
