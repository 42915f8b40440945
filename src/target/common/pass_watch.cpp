#include "target/common/pass_watch.h"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/PassManager.h>

#include "target/common/verifier.h"

namespace bsgp::target {

using namespace llvm;

namespace {

// Returns the function that a pass over functions or loops ran on; null for a module.
const Function* functionOf(const Any& unit) {
  if (auto* function = any_cast<const Function*>(&unit))
    return *function;
  if (auto* loop = any_cast<const Loop*>(&unit))
    return (*loop)->getHeader()->getParent();
  return nullptr;
}

} // namespace

PassWatch::PassWatch(const AfterPass& after_pass, bool verify) : wanted_(after_pass || verify) {
  if (!wanted_)
    return;
  callbacks_.registerAfterPassCallback([=, this](StringRef pass, Any unit, const PreservedAnalyses& preserved) {
    StringRef known = callbacks_.getPassNameForClassName(pass);
    const Function* function = functionOf(unit);
    if (!function || known.empty()) // managers and adaptors have no name
      return;
    std::string_view name(known.data(), known.size());
    if (verify && !preserved.areAllPreserved())
      checkAfter(name, *function);
    if (after_pass)
      after_pass(name, *function->getParent());
  });
}

} // namespace bsgp::target
