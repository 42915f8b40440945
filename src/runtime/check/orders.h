// What atomics and fences order in one launch: who released at which address, who acquired there, and when. It is asked
// only where two accesses conflict.
//
// A store releases what its thread did before it, an update what it did before its last fence. A load acquires. So does
// an update, a fence behind it or not: who uses its result would wait for it. Both are told of before they are done, and may
// see what is released before their thread is heard of again: an update is taken to have seen it.
//
// Events are kept by address and by block, each list in the order of time: a search looks at those between the two
// accesses alone. What acquires again where nothing was released meanwhile says nothing new, and is not kept: so a
// thread that waits is one event.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <unordered_map>
#include <vector>

namespace bsgp::runtime::check {

enum class Order : uint8_t { None, Unknown, Before };

class Orders {
public:
  explicit Orders(int64_t block) : block_(block) {} // threads of one

  // 0: there was no start, release or fence, and nothing is ordered.
  uint32_t now() const { return clock_.load(std::memory_order_relaxed); }
  void start(); // before the first access of a launch that may release

  void release(int64_t rank, uint64_t address);
  void acquire(int64_t rank, uint64_t address);
  void update(int64_t rank, uint64_t address);
  void fence(int64_t rank);

  // Whether what thread `first` did at `time` (of now()) comes before what thread `second` does now. Unknown where that
  // depends on more than is kept: on the order of threads in groups of `group`, on a load that may have come too early;
  // or on more events than can be looked at.
  Order before(int64_t first, uint32_t time, int64_t second, int64_t group);

  bool hasAcquired(int64_t rank, int64_t group); // or another thread of its group

private:
  static constexpr uint32_t kOpen = UINT32_MAX;
  struct Release {
    uint32_t time;
    int64_t rank;
    uint64_t address;
    uint32_t of; // what its thread did until then
  };
  struct Acquire {
    uint32_t time;
    int64_t rank;
    uint64_t address;
    uint32_t until; // it was done by then; kOpen: its thread was not heard of since
    bool is_update;
  };
  struct Block {
    std::vector<Acquire> acquires;
    std::vector<Release> releases;
  };
  struct Last { // acquire of a thread at an address
    int64_t rank;
    uint64_t address;
    bool operator==(const Last&) const = default;
  };
  struct Hash {
    size_t operator()(const Last& last) const {
      return size_t((uint64_t(last.rank) * 0x9E3779B97F4A7C15u ^ last.address) * 0xD6E8FEB86659FD93u >> 16);
    }
  };
  class Search;

  uint32_t tick();
  void close(int64_t rank);
  void acquireHere(int64_t rank, uint64_t address, bool is_update);

  const int64_t block_;
  std::mutex mutex_; // of all below; who writes the clock has it, too
  std::atomic<uint32_t> clock_{0};
  std::unordered_map<uint64_t, std::vector<Release>> released_; // by address
  std::unordered_map<int64_t, Block> blocks_;
  std::unordered_map<int64_t, uint32_t> fences_; // of threads: when
  std::unordered_map<int64_t, size_t> open_;     // of threads: which of their block's acquires
  struct Known {
    uint32_t time;  // when
    size_t acquire; // of its block
  };
  std::unordered_map<Last, Known, Hash> acquired_;
  uint64_t searched_ = 0; // events
};

} // namespace bsgp::runtime::check
