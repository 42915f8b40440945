// What comes before what in one launch, as far as the program says so: barriers of a block, and values that one warp
// releases and another acquires. Accesses of different warps that are not ordered by these may come in any order.
#pragma once

#include <cstdint>
#include <mutex>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

namespace bsgp::emulator {

// When a warp did something: how many barriers its block had passed, how often it had released by then.
struct Moment {
  uint64_t warp; // in the grid
  uint32_t barriers, releases;
};

// A warp that runs: what it has released and acquired so far.
struct Past {
  uint32_t releases = 0;
  uint32_t fenced = 0;                   // 1 + releases before its last fence; 0: it has had none
  std::vector<uint32_t> seen;            // what it has read and a fence would acquire
  std::unordered_set<uint32_t> acquired; // of what was released, so that nothing is noted twice
  std::unordered_map<uint64_t, std::pair<uint32_t, uint32_t>> before; // of other warps, what is known to come before
};

enum class Access : uint8_t { load, store, exchange };

struct Semantics {
  static constexpr uint32_t kOrdered = 1, kAcquire = 2, kRelease = 4;
};

class Order {
public:
  void begin(uint64_t warps_of_block); // a launch

  // An access to `key` that is ordered with others, Semantics in `how`. Before a store and an exchange is made, and
  // after a load: who finds a value finds what came with it. Exchanges of several host threads exclude each other.
  void access(Past& past, const Moment& now, uint64_t key, Access kind, uint32_t how);
  void fence(Past& past, const Moment& now);

  // Does what was done at `then` come before what its warp does now?
  bool isBefore(const Moment& then, Past& past, const Moment& now);

  std::mutex exchanges; // held around an exchange and what is noted of it

private:
  // What was released to a place. Values that were exchanged without an order of their own carry what was there before.
  struct Released {
    Moment by;
    uint32_t rest; // of released_; 0: none
  };
  struct Acquired {
    Moment at;
    uint32_t what; // of released_
  };

  uint64_t blockOf(const Moment& moment) const { return moment.warp / warps_; }
  bool precedes(const Moment& then, const Moment& now) const; // by their block's barriers or within the warp
  void acquire(Past& past, const Moment& now, uint32_t what);
  bool search(const Moment& then, const Moment& now) const;

  uint64_t warps_ = 1; // of a block
  std::mutex mutex_;   // of all below
  std::vector<Released> released_;
  std::unordered_map<uint64_t, uint32_t> places_;
  std::unordered_map<uint64_t, std::vector<Acquired>> acquired_; // by block
};

} // namespace bsgp::emulator
