// Holds a module to the contract of ir/operations.h. What it finds is a bug of ours, never of the user's program.
#pragma once

#include <string>

#include "ir/module.h"

namespace bsgp::ir {

// A sentence naming what is wrong, or "". A spawn as irgen made it, at any point before the split.
std::string violationInSpawn(llvm::Function& function, const Spawn& spawn);

// The same for what the split leaves: rank(0), assert and print only.
std::string violationInKernel(const llvm::Function& kernel);

// In every other function: nothing of ours.
std::string violationOutside(const llvm::Module& module, const Compiled& compiled);

// Ends the process on a violation, and on IR that LLVM's verifier rejects. `pass` is the one that ran last.
void checkContract(std::string_view pass, Compiled& compiled);

} // namespace bsgp::ir
