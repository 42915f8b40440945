// Choices between two floating-point values that compare as equal although they are not: the two zeros.
#pragma once

#include <llvm/IR/Module.h>

namespace bsgp::target {

// LLVM 19 takes `a < b ? a : b` for the machine's minimum. Of -0 and 0 that is -0 on NVIDIA's and ARM's machines,
// whichever comes first; the program says b. Afterwards such choices are no minima and maxima to LLVM, where both
// values may be zero. Runs after the optimizer.
void keepSignsOfZero(llvm::Module& module);

} // namespace bsgp::target
