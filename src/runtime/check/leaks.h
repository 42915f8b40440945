// Memory that the program has asked for and not given back when it ends.
#pragma once

#include <string>

#include "runtime/check/allocations.h"

namespace bsgp::runtime::check {

// "a.bsgp:3:12: note: never freed: 3 allocations of int, 4,000 bytes [lint]": a line for each of the program's places
// that asked for it, those with the most bytes first, at most `most`. The library's own memory is not told of.
std::string leaksOf(AllocationMap& allocations, size_t most = 20);

} // namespace bsgp::runtime::check
