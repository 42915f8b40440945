// Describes exported functions for C.
#pragma once

#include "diag/diagnostics.h"
#include "sema/program.h"

namespace bsgp::compile {

// Reports what has no form in C: dlists, empty structs, two functions of one name, reserved names. False if it did.
bool checkExports(const Program& program, Diagnostics& diagnostics);

} // namespace bsgp::compile
