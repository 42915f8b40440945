// The state of checks in one thread of this machine: the allocations that it found last, and memory that bad accesses
// reach instead of theirs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "runtime/check/allocations.h"
#include "runtime/check/history.h"
#include "runtime/check/lane_trace.h"

namespace bsgp::runtime::check {

class Worker {
public:
  // Returns that of the calling thread; it is made at the first call, and goes when the thread ends.
  static Worker& mine() {
    Worker* found = current;
    return found ? *found : make();
  }

  // Returns the allocation that `base` leads to; null if there is no memory.
  Allocation* find(AllocationMap& map, uintptr_t base) {
    uint64_t generation = map.generation();
    Found& slot = found_[(base >> 4) * 0x9E3779B97F4A7C15u >> 60];
    last_ = &slot;
    if (slot.base == base && slot.generation == generation) [[likely]]
      return slot.allocation;
    return findAnew(map, base, generation, slot);
  }

  // Returns the written-bits of memory that was most likely found last.
  AllocationMap::WrittenAt writtenAt(AllocationMap& map, uintptr_t address, uint64_t bytes) const {
    const Allocation* memory = last_->generation == map.generation() ? last_->allocation : nullptr;
    bool is_that =
        memory && !memory->is_foreign && address >= memory->begin && address - memory->begin + bytes <= memory->bytes;
    if (!is_that)
      return map.writtenAt(address, bytes);
    return {memory->written.load(std::memory_order_acquire), address - memory->begin};
  }

  // Returns zeros, at least `bytes` of them, aligned to 64; bytes written there are zero again the next time.
  void* nowhere(size_t bytes);
  bool isNowhere(const void* address) const {
    auto at = reinterpret_cast<uintptr_t>(address), begin = reinterpret_cast<uintptr_t>(nowhere_);
    return at - begin < nowhere_bytes_;
  }

  // Returns the block of the running thread: threads of one block follow each other.
  int64_t blockOf(int64_t rank, int64_t block) {
    if (uint64_t(rank - first_of_block_) >= uint64_t(block) || block != block_size_) [[unlikely]] {
      block_ = rank / block;
      block_size_ = block, first_of_block_ = block_ * block;
    }
    return block_;
  }

  // Returns the history of shared memory, for launches in which atomics order threads.
  History& historyOf(const BlockId& block) {
    if (!(block == of_history_))
      history_.clear();
    of_history_ = block;
    return history_;
  }

  BlockRaces races;
  BlockWritten written;
  std::vector<LaneLine> lines; // of some threads, while they are judged
  LaneTrace trace;

private:
  BlockId of_history_;
  History history_;
  int64_t block_ = 0, block_size_ = 0, first_of_block_ = 0;
  struct Found {
    uintptr_t base = 0;
    uint64_t generation = 0;
    Allocation* allocation = nullptr;
  };
  static Worker& make();
  Allocation* findAnew(AllocationMap& map, uintptr_t base, uint64_t generation, Found& slot);

  [[gnu::tls_model("initial-exec")]] static constinit thread_local Worker* current;
  Found found_[16];
  const Found* last_ = found_;
  std::unique_ptr<char[]> nowhere_memory_;
  char* nowhere_ = nullptr;
  size_t nowhere_bytes_ = 0;
};

} // namespace bsgp::runtime::check
