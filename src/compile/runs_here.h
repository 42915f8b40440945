// Questions to the machine that this process runs on.
#pragma once

#include <string>

#include "support/result.h"

namespace bsgp::compile {

// Fails if code made for this CPU cannot run here; code for "native" can.
Result<void> checkRunsHere(const std::string& cpu);

// Returns the compute capability that `gpu` means: 80 for "sm_80"; the newest that the GPU of this machine can run, for "native".
Result<unsigned> smOf(const std::string& gpu);

} // namespace bsgp::compile
