// A module optimized and compiled on several processors. It takes longest of all that comes before a program starts.
#pragma once

#include <string>
#include <vector>

#include "target/cpu/cpu_target.h"

namespace bsgp::target {

// Object files that make up the lowered module, to be linked together; the same for any number of processors, and one
// where the module is small. The module is good for nothing afterwards.
Result<std::vector<std::string>> compileInParts(ir::Kernels& program, const CpuOptions& options, unsigned processors);

} // namespace bsgp::target
