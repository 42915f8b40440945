// Remembers which memory holds copies of unwritten bytes, and where they were made: a report of their use names the
// copies.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <vector>

#include "runtime/check/report.h"

namespace bsgp::runtime::check {

class UnsetCopies {
public:
  // At the place these bytes of the allocation became such a copy. What the library copies for itself is left out.
  void add(const Allocation& memory, uint64_t offset, uint64_t bytes, const bsgp_site* at);
  // The places that made this byte one, as far as they are known.
  std::vector<Place> of(const Allocation& memory, uint64_t offset) const;

private:
  static constexpr size_t kMostRanges = 4096; // of a place; what lies in others is not known
  struct Copies {
    const bsgp_site* site; // to compare with; its program may be gone
    Place at;
    std::map<uint64_t, uint64_t> ranges; // begin -> end, apart from each other
  };
  static void addRange(std::map<uint64_t, uint64_t>& ranges, uint64_t begin, uint64_t end);

  mutable std::mutex mutex_;
  std::map<uint64_t, std::vector<Copies>> of_; // by the serial number of the allocation
};

} // namespace bsgp::runtime::check
