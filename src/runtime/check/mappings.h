// Which memory the process has at all. What belongs to no allocation that is known here counts as the caller's or the C
// library's, unless nothing is there: a pointer that nobody has set leads anywhere.
#pragma once

#include <cstdint>

namespace bsgp::runtime::check {

struct Mapping {
  uintptr_t begin = 0, end = 0;
  bool is_writable = false;

  bool holds(uintptr_t at, uint64_t bytes) const { return at >= begin && at < end && bytes <= end - at; }
};

// What is mapped around an address without a gap, all of it alike; empty: nothing may be read there. Memory that has been
// given back since it was last asked for may count as mapped.
Mapping mappingAt(uintptr_t address);

// May so many bytes be reached without a fault?
bool isMapped(uintptr_t at, uint64_t bytes, bool writes);

} // namespace bsgp::runtime::check
