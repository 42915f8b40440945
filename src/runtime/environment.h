// Environment variables. One that is empty counts as none.
#pragma once

#include <cstdint>

#include "support/result.h"

namespace bsgp::runtime {

const char* environment(const char* name); // null: there is none

// `otherwise` where there is none; an error where it is no number, or more than `most`.
Result<uint64_t> numberFrom(const char* name, uint64_t otherwise = 0, uint64_t most = UINT64_MAX);

// Says to the standard error which variables of this process have a name that begins with BSGP_ and is none of those in
// environment.def. The first call in a process does, later ones do nothing.
void warnOfUnknownVariables();

} // namespace bsgp::runtime
