// Holds freed memory back before it is reused, so that accesses to it are reported.
#pragma once

#include <cstdint>
#include <deque>
#include <mutex>
#include <vector>

#include "runtime/check/allocations.h"

namespace bsgp::runtime::check {

class Quarantine {
public:
  struct Block {
    void* begin = nullptr;
    size_t bytes = 0;
    Space space = Space::Device;
    Allocation* allocation = nullptr; // null: it has no record
  };
  // Takes it in; those that have to leave for it, the oldest first. `most`: of what all take, of which one block may
  // take more.
  std::vector<Block> add(const Block& block, uint64_t most);
  std::vector<Block> takeAll();
  uint64_t footprint() const; // of all

  // Bytes that are not free as long as the block waits: small ones have a page behind them or the heap's own data, and each
  // has a record, and a bit for each byte.
  static uint64_t footprintOf(const Block& block);

private:
  static constexpr size_t kMostBlocks = 1 << 18;
  mutable std::mutex mutex_;
  std::deque<Block> blocks_;
  uint64_t footprint_ = 0;
};

} // namespace bsgp::runtime::check
