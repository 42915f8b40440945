// C++'s library as people name it.
#pragma once

#include <string>
#include <string_view>

namespace bsgp {

std::string helpForStd(std::string_view name); // what to write for std::name
bool isForeignHeader(std::string_view name);   // is it one of C, C++ or CUDA?

} // namespace bsgp
