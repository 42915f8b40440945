// Atomic operations on floating point numbers, for machines that LLVM 19 makes wrong code of.
#pragma once

#include <llvm/IR/Module.h>

namespace bsgp::target {

// As loops around a compare-and-exchange, where that has to be done here. Runs after all optimization.
void expandFloatAtomics(llvm::Module& module);

} // namespace bsgp::target
