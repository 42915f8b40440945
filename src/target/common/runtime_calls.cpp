#include "target/common/runtime_calls.h"

namespace bsgp::target {

using namespace llvm;

namespace {

StringRef calleeOf(const Instruction& instruction) {
  auto* call = dyn_cast<CallInst>(&instruction);
  const Function* callee = call ? call->getCalledFunction() : nullptr;
  return callee ? callee->getName() : "";
}

} // namespace

bool callsChecks(const Instruction& instruction) {
  return calleeOf(instruction).starts_with(kCheckFunctions);
}

bool callsRuntime(const Instruction& instruction) {
  StringRef callee = calleeOf(instruction);
  return callee == kPrintFunction || callee == kFailFunction || callsChecks(instruction);
}

} // namespace bsgp::target
