#include "ir/verifier_common.h"

#include <fmt/format.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/raw_ostream.h>

namespace bsgp::ir {

using namespace llvm;

std::string violationAt(const Instruction& where, std::string_view what) {
  std::string text;
  raw_string_ostream(text) << where;
  return fmt::format("{}:{}", what, text);
}

std::string inFunction(const Function& function, const std::string& violation) {
  return violation.empty() ? violation : fmt::format("{}: {}", function.getName().str(), violation);
}

std::string violationOfLlvm(const Function& function) {
  std::string text;
  raw_string_ostream stream(text);
  return verifyFunction(function, &stream) ? text : std::string();
}

std::string violationOutside(const Module& module, const FunctionSet& ours) {
  for (const Function& callee : module)
    if (callee.getName().starts_with("bsgp."))
      for (const User* user : callee.users())
        if (auto* call = dyn_cast<Instruction>(user); call && !ours.count(call->getFunction()))
          return inFunction(*call->getFunction(), violationAt(*call, "a call of ours outside of spawns and kernels"));
  return "";
}

} // namespace bsgp::ir
