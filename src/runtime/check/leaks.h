// Finds memory that the program has not given back when it ends.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/check/allocations.h"
#include "runtime/check/report.h"

namespace bsgp::runtime::check {

// The leaks of one place that asked for memory.
struct Leak {
  Place made;
  uint64_t bytes = 0, count = 0; // of all its allocations; their number
  std::string type;              // of the elements
};

// Returns those with the most bytes first. The library's own memory is left out.
std::vector<Leak> leaksOf(AllocationMap& allocations);

// "a.bsgp:3:12: note: never freed: 3 allocations of int, 4,000 bytes [lint]": a line for each, at most `most`.
std::string textOf(const std::vector<Leak>& leaks, size_t most = 20);

} // namespace bsgp::runtime::check
