// Names of a BSGP program as C and C++ can write them.
#pragma once

#include <string>
#include <string_view>

namespace bsgp::compile {

// The name, with an underscore after it where C or C++ has another use for it: keywords, macros of the headers that a
// generated one includes and of those that often stand beside it, types that a generated header uses.
std::string allowedInC(std::string_view name);

} // namespace bsgp::compile
