// Whether a Plan is one that can be executed and written down.
#pragma once

#include <string>

#include "plan/plan.h"

namespace bsgp::plan {

// The first rule that the plan breaks, with the step that does; empty: none. The executor and the text form rely on
// these rules:
// - ranks have 32 or 64 bits, a block 1 to 1024 threads; slots have 1, 2, 4 or 8 bytes, no two of them or thread.size
//   a byte in common;
// - the supersteps stand in order; each one's steps are its requires, what it allocates and clears, one launch at most,
//   what it frees, a decision with its branches, in this order;
// - each require and decision stands once, each kernel is launched by one step: in its superstep, in the order of their
//   numbers;
// - each stream has a size, is allocated or gets its memory by a move, and is freed; in between kernels name it, none of
//   them twice, until the superstep that begins with the next reassignment of ranks is over. In a plan without branches,
//   jumps and moves it is allocated once and freed once;
// - branches and jumps lead to a superstep, to the end, or to an edge: moves, swaps, allocations and frees, which end
//   with a jump or before a superstep. What comes behind each superstep is as the plan says (Superstep::next);
// - each step is reached from one before it, and wherever edges join the same streams are allocated on all of them;
//   streams that swap or share memory have one size.
// - what a step or a kernel's parameter names is there.
// That the slots lie within the frame is checked where there is one: in the code that runs the plan (ir/verifier.h).
std::string verify(const Plan& plan);

} // namespace bsgp::plan
