// What atomics and fences order in one launch: who released at which address, who acquired there, and when. It is asked
// only where two accesses conflict.
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

  // From the first release on; 0: there was none, and nothing is ordered.
  uint32_t now() const { return clock_.load(std::memory_order_relaxed); }

  void release(int64_t rank, uint64_t address);
  void acquire(int64_t rank, uint64_t address);
  void fence(int64_t rank);

  // Whether what thread `first` did at `time` (of now()) comes before what thread `second` does now. Unknown where that
  // depends on more than is kept: on the order of threads in groups of `group`, on a load that may have come too early;
  // or on more events than can be looked at.
  Order before(int64_t first, uint32_t time, int64_t second, int64_t group);

  bool hasAcquired(int64_t rank, int64_t group); // or another thread of its group

private:
  struct Event {
    uint32_t time;
    int64_t rank;
    uint64_t address; // 0: a fence
  };
  using Events = std::vector<Event>;
  struct Block {
    Events acquires, releases;
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

  const int64_t block_;
  std::mutex mutex_; // of all below; who writes the clock has it, too
  std::atomic<uint32_t> clock_{0};
  std::unordered_map<uint64_t, Events> released_; // by address; 0: fences
  std::unordered_map<int64_t, Block> blocks_;
  std::unordered_map<Last, uint32_t, Hash> acquired_; // when
  uint64_t searched_ = 0;                             // events
};

} // namespace bsgp::runtime::check
