// What atomics and fences order in one launch: who released at which address, who acquired there, and when. It is asked
// only where two accesses conflict.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <set>
#include <tuple>
#include <vector>

namespace bsgp::runtime::check {

enum class Order : uint8_t { None, Unknown, Before };

class Orders {
public:
  // From the first release on; 0: there was none, and nothing is ordered.
  uint32_t now() const { return clock_.load(std::memory_order_relaxed); }

  void release(int64_t rank, uint64_t address);
  void acquire(int64_t rank, uint64_t address);
  void fence(int64_t rank);

  // Whether what thread `first` did at `time` (of now()) comes before what thread `second` does now. Unknown where that
  // depends on more than is kept: on the order of threads in blocks of `block`, on a load that may have come too early.
  Order before(int64_t first, uint32_t time, int64_t second, int64_t block);

  bool hasAcquired(int64_t rank, int64_t block); // or another thread of its block

private:
  struct Event {
    uint32_t time;
    int64_t rank;
    uint64_t address; // 0: a fence
    bool releases;
  };
  static constexpr size_t kMostEvents = 1 << 16; // more are not kept, and nothing is known any more
  void add(int64_t rank, uint64_t address, bool releases);

  std::mutex mutex_;
  std::atomic<uint32_t> clock_{0};
  std::vector<Event> events_;
  std::set<std::tuple<int64_t, uint64_t, bool, uint32_t>> known_; // a thread that waits says the same again and again
};

} // namespace bsgp::runtime::check
