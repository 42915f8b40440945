// Finds which memory the process has at all. Mapped memory that belongs to no known allocation counts as the caller's
// or the C library's; an undefined pointer may lead to unmapped memory.
#pragma once

#include <cstdint>

namespace bsgp::runtime::check {

struct Mapping {
  uintptr_t begin = 0, end = 0;
  bool is_writable = false;

  bool holds(uintptr_t at, uint64_t bytes) const { return at >= begin && at < end && bytes <= end - at; }
};

// Returns the mappings around an address that have no gap and equal rights; empty if it cannot be read. Memory that
// has been given back since the last lookup may count as mapped.
Mapping mappingAt(uintptr_t address);

// True if so many bytes can be reached without a fault.
bool isMapped(uintptr_t at, uint64_t bytes, bool writes);

} // namespace bsgp::runtime::check
