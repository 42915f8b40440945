// Arrays of a block that the library declares, and that the program's own code does not reach. What the library does there is
// looked at in its own tests, where the check `library` is asked for: a program that uses it is not watched there, unless
// values that nobody wrote may go through such an array.
#pragma once

#include <llvm/IR/Function.h>

#include "check/sites.h"

namespace bsgp::check {

// Runs when all accesses are watched, and all that may be undefined: takes the operations away again.
void trustLibrary(llvm::Function& function, const Sites& sites);

} // namespace bsgp::check
