// Whether code made for a CPU can run in this process.
#pragma once

#include <string>

#include "support/result.h"

namespace bsgp::driver {

Result<void> checkRunsHere(const std::string& cpu); // "native" does

} // namespace bsgp::driver
