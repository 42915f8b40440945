// What the machine is that this process runs on.
#pragma once

#include <string>

#include "support/result.h"

namespace bsgp::compile {

// Whether code made for a CPU can run here; "native" does.
Result<void> checkRunsHere(const std::string& cpu);

// The compute capability that "sm_80" means (80), or "native" (the best there is code for on the GPU of this machine).
Result<unsigned> smOf(const std::string& gpu);

} // namespace bsgp::compile
