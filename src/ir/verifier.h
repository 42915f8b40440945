// Holds a module to the contract of ir/operations.h, and to what LLVM's verifier asks of spawns and kernels. What they
// find is a bug of ours, never of the user's program.
//
// Each returns a sentence that names the function and what is wrong with it, or "".
#pragma once

#include <string>

#include "ir/kernels.h"
#include "ir/spawns.h"

namespace bsgp::ir {

// As irgen makes them, or bsp leaves them at any point before the split.
std::string violationIn(const Spawns& spawns); // spawn_verifier.cpp

// As the split leaves them.
std::string violationIn(const Kernels& kernels); // kernel_verifier.cpp

} // namespace bsgp::ir
