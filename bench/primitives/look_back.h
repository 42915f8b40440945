// One pass over memory in pieces, each of which has to know the sum of all before it.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "simd.h"

namespace bench {

constexpr size_t kPiece = 1 << 15; // elements: what fits a cache
constexpr size_t kAlone = 1 << 15; // so few are left to one thread

// The sums of pieces, as far as they are known. Pieces are claimed in order, so each waits only for running ones.
class LookBack {
public:
  explicit LookBack(size_t pieces) : states_(pieces) {}
  size_t claim() { return next_.fetch_add(1, std::memory_order_relaxed); }

  // Publishes the sum of a piece; gives the sum of all before it.
  uint32_t before(size_t piece, uint32_t sum) {
    states_[piece].store(kSum | sum, std::memory_order_release);
    uint32_t before = 0;
    for (size_t i = piece; i-- > 0;) {
      uint64_t state;
      while (!((state = states_[i].load(std::memory_order_acquire)) & (kSum | kPrefix)))
        pause();
      before += uint32_t(state);
      if (state & kPrefix)
        break;
    }
    states_[piece].store(kPrefix | uint32_t(before + sum), std::memory_order_release);
    return before;
  }

private:
  static constexpr uint64_t kSum = 1ull << 32, kPrefix = 1ull << 33;
  std::vector<std::atomic<uint64_t>> states_;
  alignas(64) std::atomic<size_t> next_{0};
};

} // namespace bench
