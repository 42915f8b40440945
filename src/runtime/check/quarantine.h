// Freed memory that waits before it is given out again, so that who still reaches it is told of.
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
  // Takes it in; those that have to leave for it, the oldest first. `most`: bytes in all, of which one block may be more.
  std::vector<Block> add(const Block& block, uint64_t most);
  std::vector<Block> takeAll();
  uint64_t bytes() const;

private:
  mutable std::mutex mutex_;
  std::deque<Block> blocks_;
  uint64_t bytes_ = 0;
};

} // namespace bsgp::runtime::check
