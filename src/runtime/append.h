// Runs a launch whose threads append values to memory (bsgp_append), in one pass over it: a range of blocks at a
// time, on several threads of the machine. A range appends to a buffer that stays in a cache. At its end it waits
// until the ranges before it know how much they have, and then copies its values to their place. A range that begins
// when all before it have ended writes there at once, unless the place is past the caches.
//
// Ranges must begin in their order: a range then waits only for ranges that run.
#pragma once

#include <atomic>

#include "runtime/device.h"
#include "runtime/few.h"

namespace bsgp::runtime {

class Appending {
public:
  explicit Appending(const Work& work);

  bool any() const { return appends_ > 0; }
  int64_t mostBlocks() const { return most_blocks_; } // of a range

  // Calls run(params, first, end) for ranges of these blocks, in their order.
  template <class Run> void blocks(int64_t first, int64_t end, const Run& run) {
    for (int64_t next = first; first < end; first = next) {
      next = std::min(first + most_blocks_, end);
      Range range(*this, first, next);
      run(range.params(), first, next);
      range.finish();
    }
  }

private:
  struct Part {
    bsgp_append* to = nullptr;
    char *begin = nullptr, *end = nullptr; // of the values of a range
    bool in_place = false;                 // they are where they belong
  };

  class Range {
  public:
    Range(Appending& all, int64_t first, int64_t end);
    const uint64_t* params() { return params_.data(); }
    void finish();

  private:
    void begin(Part& part, uint32_t number);
    bool isTurn() const { return all_.next_.load(std::memory_order_acquire) == first_; }
    void awaitTurn() const;

    Appending& all_;
    const int64_t first_, end_; // blocks
    Few<uint64_t, 32> params_;
    Few<Part, 4> parts_;
  };

  static bool isPastCaches(const bsgp_append& to, int64_t threads);

  const Work& work_;
  uint32_t appends_ = 0;
  int64_t most_blocks_ = INT64_MAX;
  alignas(64) std::atomic<int64_t> next_{0}; // the first block of the next range in order
};

} // namespace bsgp::runtime
