// The C and C++ header of a program's exported functions.
#pragma once

#include <string>

#include "sema/program.h"

namespace bsgp::driver {

// `name` is the header's file name; its guard comes from it.
std::string headerText(const Program& program, const std::string& name);

} // namespace bsgp::driver
