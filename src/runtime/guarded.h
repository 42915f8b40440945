// The borders of the runtime, which no exception crosses: what calls it is C, or compiled code.
#pragma once

#include <new>

#include "runtime/context.h"

namespace bsgp::runtime {

// BSGP_OUT_OF_MEMORY, and "there is no memory left for WHAT" for bsgp_error_message. It takes no memory.
bsgp_status noMemoryFor(const char* what) noexcept;

// Returns the result of `function`, or if memory runs out in it, that of `otherwise`.
template <class Function, class Otherwise> auto guarded(Function function, Otherwise otherwise) noexcept {
  try {
    return function();
  } catch (const std::bad_alloc&) {
    return otherwise();
  }
}

// Guards a function of bsgp.h.
template <class Function> bsgp_status guardedCall(const char* what, Function function) noexcept {
  return guarded(function, [what] { return noMemoryFor(what); });
}

// Guards a function that compiled code calls.
template <class Function>
int32_t guardedIn(bsgp_call* call, const bsgp_site* site, const char* what, Function function) noexcept {
  return guarded(function, [=] { return call->outOfMemory(site, what); });
}

} // namespace bsgp::runtime
