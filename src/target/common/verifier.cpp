#include "target/common/verifier.h"

#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/TargetParser/Triple.h>

#include "ir/operations.h"
#include "ir/verifier_common.h"
#include "support/check.h"
#include "target/common/attributes.h"
#include "target/common/runtime_calls.h"

namespace bsgp::target {

using namespace llvm;

namespace {

// Functions that kernels for a CPU may call: the runtime's, and those that allocate the shared variables of a block.
constexpr StringRef kOfKernels[] = {kFailFunction, kPrintFunction, "aligned_alloc", "free"};

bool isForGpu(const Module& module) {
  return Triple(module.getTargetTriple()).isNVPTX();
}

bool isKernel(const Function& function, bool for_gpu) {
  return for_gpu || function.hasFnAttribute(kKernelAttribute);
}

// True if code generation makes a call of the host's mathematics of it.
bool isMathematics(const Function& intrinsic) {
  switch (intrinsic.getIntrinsicID()) {
  case Intrinsic::sin:
  case Intrinsic::cos:
  case Intrinsic::tan:
  case Intrinsic::asin:
  case Intrinsic::acos:
  case Intrinsic::atan:
  case Intrinsic::sinh:
  case Intrinsic::cosh:
  case Intrinsic::tanh:
  case Intrinsic::exp:
  case Intrinsic::exp2:
  case Intrinsic::exp10:
  case Intrinsic::log:
  case Intrinsic::log2:
  case Intrinsic::log10:
  case Intrinsic::pow:
  case Intrinsic::powi:
  case Intrinsic::ldexp:
  case Intrinsic::frexp:
  case Intrinsic::lround:
  case Intrinsic::llround:
  case Intrinsic::lrint:
  case Intrinsic::llrint:
    return true;
  default:
    return false;
  }
}

bool comesFromOutside(const Instruction& instruction, bool for_gpu) {
  auto* call = dyn_cast<CallBase>(&instruction);
  if (!call || call->isInlineAsm())
    return instruction.getOpcode() == Instruction::FRem;
  const Function* callee = call->getCalledFunction();
  if (!callee)
    return true;
  if (callee->isIntrinsic())
    return isMathematics(*callee);
  bool known = is_contained(kOfKernels, callee->getName()) || callee->getName().starts_with(kCheckFunctions) ||
               ir::appends(ir::opNamed(callee->getName())) || callee->getName().starts_with(kLaneVotes);
  return callee->isDeclaration() && (for_gpu || !known);
}

std::string violationInKernel(const Function& function, bool for_gpu) {
  for (const Instruction& instruction : instructions(function))
    if (comesFromOutside(instruction, for_gpu))
      return ir::inFunction(function, ir::violationAt(instruction, "a kernel takes this from outside"));
  return "";
}

std::string violationOfLlvm(const Module& module) {
  std::string text;
  raw_string_ostream stream(text);
  return verifyModule(module, &stream) ? text : std::string();
}

std::string leftOfContract(const Module& module, bool for_gpu) {
  for (const Function& function : module)
    if (ir::Op op = ir::opNamed(function.getName()); op != ir::Op::None && !ir::appends(op))
      return ir::inFunction(function, "a function of the contract is left");
  for (const GlobalVariable& global : module.globals())
    if (!for_gpu && global.getAddressSpace() == ir::kSharedSpace)
      return global.getName().str() + ": a shared variable is left";
  return "";
}

void check(std::string_view pass, const std::string& violation) {
  BSGP_CHECK(violation.empty(), "after the pass %.*s, %s", int(pass.size()), pass.data(), violation.c_str());
}

} // namespace

std::string violationIn(const Module& module, Rules rules) {
  bool for_gpu = isForGpu(module);
  std::string violation = rules == Rules::All ? violationOfLlvm(module) : "";
  if (violation.empty())
    violation = leftOfContract(module, for_gpu);
  for (const Function& function : module)
    if (violation.empty() && isKernel(function, for_gpu))
      violation = violationInKernel(function, for_gpu);
  return violation;
}

std::string violationIn(const Function& function) {
  bool for_gpu = isForGpu(*function.getParent());
  std::string violation = ir::inFunction(function, ir::violationOfLlvm(function));
  if (violation.empty() && isKernel(function, for_gpu))
    violation = violationInKernel(function, for_gpu);
  return violation;
}

void checkAfter(std::string_view pass, const Module& module, Rules rules) {
  check(pass, violationIn(module, rules));
}

void checkAfter(std::string_view pass, const Function& function) {
  check(pass, violationIn(function));
}

} // namespace bsgp::target
