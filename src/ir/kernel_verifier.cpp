// Each kernel has the arguments that its plan names, and only those of our operations that the targets lower. Each
// plan has its slots within the frame.
#include <fmt/format.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>

#include "ir/operations.h"
#include "ir/verifier.h"
#include "ir/verifier_common.h"

namespace bsgp::ir {

using namespace llvm;

namespace {

// A scalar of a host variable; its slot may have room to spare.
std::string violationInFrameArgument(const Argument& argument, uint32_t slot, const plan::Plan& plan) {
  if (slot >= plan.slots.size())
    return fmt::format("argument {} is slot {} of {}", argument.getArgNo(), slot, plan.slots.size());
  Type* type = argument.getType();
  if (!type->isPointerTy() && !type->isIntegerTy() && !type->isFloatingPointTy())
    return fmt::format("argument {} is no scalar", argument.getArgNo());
  uint64_t bytes = argument.getParent()->getParent()->getDataLayout().getTypeStoreSize(type);
  if (bytes > plan.slots[slot].bytes)
    return fmt::format("argument {} has {} bytes, its slot {}", argument.getArgNo(), bytes, plan.slots[slot].bytes);
  return "";
}

std::string violationInArgument(const Argument& argument, const plan::Param& param, const plan::Plan& plan) {
  Type* type = argument.getType();
  switch (param.kind) {
  case plan::Param::Frame:
  case plan::Param::Append:
    return violationInFrameArgument(argument, param.index, plan);
  case plan::Param::Stream:
    if (param.index >= plan.streams.size())
      return fmt::format("argument {} is stream {} of {}", argument.getArgNo(), param.index, plan.streams.size());
    return type->isPointerTy() && type->getPointerAddressSpace() == kDeviceSpace
               ? ""
               : fmt::format("argument {} is a stream and no device pointer", argument.getArgNo());
  case plan::Param::Size:
  case plan::Param::OldSize:
    return type->isIntegerTy(plan.rank_bits)
               ? ""
               : fmt::format("argument {} counts threads and is no rank", argument.getArgNo());
  case plan::Param::Block:
    return type->isIntegerTy(32) ? "" : fmt::format("argument {} numbers blocks and is no i32", argument.getArgNo());
  }
  return fmt::format("argument {} is of kind {}", argument.getArgNo(), int(param.kind));
}

std::string violationInSignature(const Function& function, const plan::Kernel& kernel, const plan::Plan& plan) {
  if (!function.getReturnType()->isVoidTy())
    return "a kernel returns a value";
  if (function.isVarArg() || function.arg_size() != kernel.params.size())
    return fmt::format("there are {} arguments, the plan names {}", function.arg_size(), kernel.params.size());
  for (const Argument& argument : function.args())
    if (std::string violation = violationInArgument(argument, kernel.params[argument.getArgNo()], plan);
        !violation.empty())
      return violation;
  return "";
}

// @bsgp.rank.iN(i32 0): a kernel has one numbering.
bool isOwnRank(const CallInst& call, const plan::Plan& plan) {
  auto* epoch = dyn_cast<ConstantInt>(call.getArgOperand(0));
  return epoch && epoch->isZero() && call.getType()->isIntegerTy(plan.rank_bits);
}

std::string violationInOperation(const Instruction& instruction, const plan::Plan& plan) {
  switch (Op op = opOf(instruction)) {
  case Op::None:
  case Op::Assert:
  case Op::Print:
  case Op::BlockSync:
  case Op::WarpShuffle:
  case Op::WarpBallot:
  case Op::WarpSync:
    return "";
  case Op::Rank:
    return isOwnRank(cast<CallInst>(instruction), plan) ? "" : violationAt(instruction, "not the thread's own rank");
  default:
    return isOfTile(op) || appends(op) || (isCheck(op) && op < Op::CheckUndefined)
               ? ""
               : violationAt(instruction, "a kernel has no supersteps");
  }
}

std::string violationIn(const Function& function, const plan::Kernel& kernel, const plan::Plan& plan) {
  if (function.isDeclaration())
    return "a kernel without a body";
  std::string violation = violationOfLlvm(function);
  if (violation.empty())
    violation = violationInSignature(function, kernel, plan);
  for (const Instruction& instruction : instructions(function))
    if (violation.empty())
      violation = violationInOperation(instruction, plan);
  return violation;
}

} // namespace

std::string violationIn(const Kernels& kernels) {
  FunctionSet functions;
  for (const plan::Plan& plan : kernels.plans) {
    if (std::string violation = violationInFrame(*kernels.module, plan); !violation.empty())
      return violation;
    for (const plan::Kernel& kernel : plan.kernels) {
      const Function* function = kernels.module->getFunction(kernel.symbol);
      if (!function)
        return fmt::format("{}: the plan {} names it, the module has no such function", kernel.symbol, plan.name);
      functions.insert(function);
      if (std::string violation = violationIn(*function, kernel, plan); !violation.empty())
        return inFunction(*function, violation);
    }
  }
  return violationOutside(*kernels.module, functions);
}

} // namespace bsgp::ir
