// Code generation on several processors. It takes longest of all that `run` does before a program starts.
#pragma once

#include <string>
#include <vector>

#include "target/cpu/cpu_target.h"

namespace bsgp::target {

// Object files that make up the module, to be linked together by a Jit; one where it is small or `processors` is 1. The
// module is good for nothing afterwards.
Result<std::vector<std::string>> generateInParts(llvm::Module& module, const CpuOptions& options, unsigned processors);

} // namespace bsgp::target
