// Arrays of a block that the library declares, and that the program's own code does not reach. The library's tests
// check the library's accesses to them, with the check `library`: a program that uses it is not watched there, unless
// undefined values may go through such an array.
#pragma once

#include <llvm/IR/Function.h>

#include "check/sites.h"

namespace bsgp::check {

// Runs when all accesses are watched, and all that may be undefined: takes the operations away again.
void trustLibrary(llvm::Function& function, const Sites& sites);

} // namespace bsgp::check
