// Notes the order that atomics, fences and syncs make in one launch: which thread released at which address, which
// acquired there, when threads of a block waited for each other. It is asked only if two accesses conflict.
//
// A store releases the earlier actions of its thread, an update those before its last fence. A load acquires. So does
// an update, with a fence behind it or not: a thread that uses its result would wait for it. Both are reported before
// they are done, and may see releases up to the thread's next report: an update is taken to have seen them. A load of
// a store's value does not see what was released there before, unless the storing thread had seen it.
//
// Events are kept by address and by block, each list in the order of time: a search looks only at those between the
// two accesses. An acquire that repeats an earlier one, without a release since then, gives nothing new and is not
// kept: so a thread that waits is one event.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <unordered_map>
#include <vector>

namespace bsgp::runtime::check {

enum class Order : uint8_t { None, Unknown, Before };

class Orders {
public:
  static constexpr int64_t kWarp = 32;
  explicit Orders(int64_t block) : block_(block) {} // threads of one

  // 0: there was no start, release or fence, and nothing is ordered.
  uint32_t now() const { return clock_.load(std::memory_order_relaxed); }
  void start(); // before the first access of a launch that may release

  void release(int64_t rank, uint64_t address);
  void acquire(int64_t rank, uint64_t address);
  void update(int64_t rank, uint64_t address);
  void fence(int64_t rank);
  void blockSync(int64_t rank); // all threads of its block have come to one
  void warpSync(int64_t rank);  // of its warp

  // Tells whether an action of thread `first` at `time` (of now()) comes before the present one of thread `second`.
  // It is unknown if that depends on a load that may have come too early, or on more events than can be looked at.
  Order before(int64_t first, uint32_t time, int64_t second);
  // True if both are threads of one block that has passed a block.sync since.
  bool isSynced(int64_t first, uint32_t time, int64_t second);
  bool areOfOneBlock(int64_t a, int64_t b) const { return a / block_ == b / block_; }

private:
  static constexpr uint32_t kOpen = UINT32_MAX;
  static constexpr size_t kNone = SIZE_MAX;
  struct Release {
    uint32_t time;
    int64_t rank;
    uint64_t address;
    uint32_t of;    // of the thread's actions until then
    uint32_t until; // it was done by then; kOpen: its thread has made no report since
  };
  using Numbers = std::vector<size_t>; // of releases
  struct Released {                    // at one address
    Numbers all;
    Numbers cuts; // stores of threads that had not seen earlier releases there
  };
  struct Acquire {
    uint32_t time;
    int64_t rank;
    uint64_t address;
    uint32_t until;
    bool is_update;
    bool is_again; // earlier releases have been seen before
  };
  struct Last { // the operations of one thread that may not be done yet: numbers
    size_t acquire = kNone, release = kNone;
  };
  struct Block {
    std::vector<Acquire> acquires;
    Numbers releases;
    std::vector<uint32_t> syncs;                              // times
    std::unordered_map<int64_t, std::vector<uint32_t>> warps; // the same, of each
    std::vector<Last> open;                                   // of its threads
  };
  struct ThreadAt { // and address
    int64_t rank;
    uint64_t address;
    bool operator==(const ThreadAt&) const = default;
  };
  struct Hash {
    size_t operator()(const ThreadAt& at) const {
      return size_t((uint64_t(at.rank) * 0x9E3779B97F4A7C15u ^ at.address) * 0xD6E8FEB86659FD93u >> 16);
    }
  };
  struct Known {
    uint32_t time;  // its time
    size_t acquire; // of its block
  };
  class Search;

  uint32_t tick();
  Block& blockOf(int64_t rank);
  Last& lastOf(Block& block, int64_t rank) { return block.open[size_t(rank % block_)]; }
  void close(Block& block, Last& last);
  void close(int64_t rank);
  void releaseHere(int64_t rank, uint64_t address, uint32_t of, bool is_store);
  bool cuts(const Released& at, int64_t rank, uint64_t address) const;
  void acquireHere(int64_t rank, uint64_t address, bool is_update);

  const int64_t block_;
  std::mutex mutex_; // of all below; and of the writer of the clock
  std::atomic<uint32_t> clock_{0};
  std::vector<Release> releases_;                   // in the order of time
  std::unordered_map<uint64_t, Released> released_; // by address
  std::unordered_map<int64_t, Block> blocks_;
  std::unordered_map<int64_t, uint32_t> fences_; // by thread: the time
  std::unordered_map<ThreadAt, Known, Hash> acquired_;
  uint64_t searched_ = 0; // events
};

} // namespace bsgp::runtime::check
