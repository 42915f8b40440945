// C++'s library as people name it.
#pragma once

#include <string>
#include <string_view>

namespace bsgp {

std::string helpForStd(std::string_view name); // what to write for std::name

// Is it one of C, C++ or CUDA? In quotes only one that is known.
bool isForeignHeader(std::string_view name, bool in_quotes);

} // namespace bsgp
