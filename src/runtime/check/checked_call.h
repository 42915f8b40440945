// The state of the checks in one call from outside.
#pragma once

#include "runtime/check/checker.h"
#include "runtime/context.h"

namespace bsgp::runtime::check {

struct CheckedCall final : CallWatch {
  const bsgp_site* library_call = nullptr; // where the program called the library last
  uint64_t errors_before = 0;              // of the checker, of no known call, when this one began
  CallFindings findings;
};

// The only watch that contexts are made with is a Checker. Null: the context does not check.
inline Checker* checkerOf(const bsgp_context& context) {
  return static_cast<Checker*>(context.watch.get());
}
inline CheckedCall* checkedCall(const bsgp_call* call) {
  return call ? static_cast<CheckedCall*>(call->watched.get()) : nullptr;
}
inline CallFindings* findingsOf(const bsgp_call* call) {
  CheckedCall* checked = checkedCall(call);
  return checked ? &checked->findings : nullptr;
}

} // namespace bsgp::runtime::check
