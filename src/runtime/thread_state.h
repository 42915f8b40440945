// The state that the runtime keeps for each thread between calls: its last failure, and the call that is made once.
// It is made when it is first needed and goes with the thread. The C++ library's destructors of thread_local objects
// will not do: if there is no memory to note them, the C library ends the process.
#pragma once

#include <string>

#include "runtime/context.h"

namespace bsgp::runtime {

struct ThreadState {
  std::string message; // of the last failure, where there was memory for it
  bsgp_call call;      // most calls do not nest
};

ThreadState* threadState() noexcept; // null: there is no memory for it

} // namespace bsgp::runtime
