// Finds races within the block that a worker runs, in which block.sync and warp.sync order threads; and all races at
// shared memory. A table of the worker has the places that the running block reached.
//
// There are two levels: warps, since the last block.sync, and the threads of the owner warp, since its last
// warp.sync. A foreign warp's own threads need no level: any that conflict among each other conflict with the owner
// warp, too.
//
// Unwatched accesses of rows of threads to lines of shared memory (lanes.h) are kept as lines up to the next
// block.sync, and become entries when a watched access follows before it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "runtime/check/race_state.h"

namespace bsgp::runtime::check {

// Identifies a block: by a number that only its launch has, and by its own number.
struct BlockId {
  uint64_t launch = 0;
  int64_t block = -1;
  bool operator==(const BlockId&) const = default;
};

struct BlockAccess {
  uint32_t thread = 0, site = 0; // in its block; its number
  RaceClass access_class = RaceClass::Read;
};

// The same accesses by `count` threads of a block from `access.thread` on: each reaches `bytes` at its place, `step`
// behind the one of the thread before.
struct LaneLine {
  uint64_t first = 0;
  int64_t step = 0;
  uint64_t bytes = 0;
  uint32_t count = 0;
  BlockAccess access;
};

class BlockRaces {
public:
  struct Conflict {
    bool found = false;
    BlockAccess other; // one access that it conflicts with
    bool others_too = false;
  };

  void enter(BlockId block, int64_t threads);
  // True if all threads have now come to that sync.
  bool blockSync(uint32_t thread) {
    watchLines();
    ++syncs_[thread].block;
    return ++at_block_sync_ % syncs_.size() == 0;
  }
  void blockSyncOfAll() {
    ++syncs_of_all_;
    lines_.clear();
    reached_shared_ = false;
  }
  // True if all threads of its warp have.
  bool warpSync(uint32_t thread) {
    watchLines();
    ++syncs_[thread].warp;
    uint32_t warp = thread / kWarp, threads = std::min(kWarp, uint32_t(syncs_.size()) - warp * kWarp);
    return ++at_warp_sync_[warp] % threads == 0;
  }

  // `address` need not be memory: equal numbers are one place. It reaches all granules of the access, and returns the
  // first conflict.
  Conflict reach(uint64_t address, uint64_t bytes, const BlockAccess& access);
  Conflict reachShared(uint64_t address, uint64_t bytes, const BlockAccess& access) {
    watchLines();
    reached_shared_ = true;
    return reach(address, bytes, access);
  }

  // Since the last block.sync of all threads.
  bool hasReachedShared() const { return reached_shared_; }
  const std::vector<LaneLine>& lines() const { return lines_; }
  void keep(const LaneLine& line) { lines_.push_back(line); }

private:
  static constexpr uint32_t kWarp = 32;
  struct Syncs {
    uint32_t block = 0, warp = 0;
  };
  struct Level {
    RaceState state = 0;
    BlockAccess owner, other, read; // by the owner, or by one of the owner warp: owner and read (race_state.h)
  };
  struct Entry {
    uint64_t granule = 0, stamp = 0; // an entry of another stamp is free
    Syncs syncs;
    Level warp, thread;
  };

  Syncs syncsOf(uint32_t thread) const { return {syncs_[thread].block + syncs_of_all_, syncs_[thread].warp}; }
  void watchLines() {
    if (!lines_.empty()) [[unlikely]]
      reachLines();
  }
  void reachLines();
  Entry& at(uint64_t granule);
  void grow();
  void refine(unsigned shift);
  Conflict reachOne(uint64_t granule, const BlockAccess& access);
  static Conflict step(Level& level, bool is_owner, const BlockAccess& access, uint32_t group, bool& takes_over);
  static void begin(Level& level, const BlockAccess& access);

  BlockId block_;
  uint64_t stamp_ = 0;
  unsigned shift_ = 3;
  std::vector<Syncs> syncs_; // of each thread, beside those of all
  uint32_t syncs_of_all_ = 0;
  uint64_t at_block_sync_ = 0;         // threads that have come to one
  std::vector<uint64_t> at_warp_sync_; // of each warp
  std::vector<LaneLine> lines_;
  bool reached_shared_ = false;
  std::vector<Entry> entries_;
  uint64_t used_ = 0;
};

} // namespace bsgp::runtime::check
