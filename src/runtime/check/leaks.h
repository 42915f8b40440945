// Memory that the program has asked for and not given back when it ends.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/check/allocations.h"
#include "runtime/check/report.h"

namespace bsgp::runtime::check {

// Of one place of the program that asked for it.
struct Leak {
  Place made;
  uint64_t bytes = 0, count = 0; // of all its allocations; how many
  std::string type;              // of the elements
};

// Those with the most bytes first. The library's own memory is not told of.
std::vector<Leak> leaksOf(AllocationMap& allocations);

// "a.bsgp:3:12: note: never freed: 3 allocations of int, 4,000 bytes [lint]": a line for each, at most `most`.
std::string textOf(const std::vector<Leak>& leaks, size_t most = 20);

} // namespace bsgp::runtime::check
