// Whether a Plan is one that can be executed and written down.
#pragma once

#include <string>

#include "plan/plan.h"

namespace bsgp::plan {

// The first rule that the plan breaks, with the step that does; empty: none. The rules, which the executor and the text
// form take for granted:
// - ranks have 32 or 64 bits, a block 1 to 1024 threads; slots have 1, 2, 4 or 8 bytes, no two of them or thread.size
//   a byte in common;
// - the supersteps begin in order; each one's steps are its requires, what it allocates and clears, one launch at most,
//   what it frees, in this order;
// - each require is run once, each kernel launched once: in its superstep, in the order of their numbers;
// - each stream has a size, is allocated once, and is freed once; in between kernels name it, none of them twice, until
//   the superstep that begins with the next reassignment of ranks is over;
// - what a step or a kernel's parameter names is there.
// That the slots lie within the frame is checked where there is one: in the code that runs the plan (ir/verifier.h).
std::string verify(const Plan& plan);

} // namespace bsgp::plan
