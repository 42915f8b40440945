// Races within the block that a worker runs, where threads of it are ordered by block.sync and warp.sync; and all races
// at shared memory. A table of the worker has what was reached by the running block.
//
// Two levels: warps, since the last block.sync, and the threads of the owner warp, since its last warp.sync. A foreign
// warp's own threads need no level: whoever could conflict among them conflicts with the owner warp, too.
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/check/race_state.h"

namespace bsgp::runtime::check {

// What a block is known by: a number of the launch that no other has, and its own.
struct BlockId {
  uint64_t launch = 0;
  int64_t block = -1;
  bool operator==(const BlockId&) const = default;
};

struct BlockAccess {
  uint32_t thread = 0, site = 0; // in its block; its number
  RaceClass access_class = RaceClass::Read;
  uint32_t time = 0; // of the launch's orders
};

class BlockRaces {
public:
  struct Conflict {
    bool found = false;
    BlockAccess other; // one that it is with
    bool others_too = false;
    bool is_with_owner = false; // that it is known when `other` was here
    uint32_t time = 0;          // then: when last, so that it matters
    bool is_sure = true;        // and that nobody else counts as the owner
  };

  void enter(BlockId block, int64_t threads);
  void blockSync(uint32_t thread) { ++syncs_[thread].block; }
  void warpSync(uint32_t thread) { ++syncs_[thread].warp; }

  // `address` need not be memory: what is equal is one place. All granules of the access; the first conflict.
  Conflict reach(uint64_t address, uint64_t bytes, const BlockAccess& access);
  // What was there before is ordered before this access.
  void beginAt(uint64_t address, uint64_t bytes, const BlockAccess& access);

private:
  static constexpr uint32_t kWarp = 32;
  struct Syncs {
    uint32_t block = 0, warp = 0;
  };
  struct Level {
    RaceState state = 0;
    BlockAccess owner, other, read;    // by the owner, or by one of the owner warp: owner and read (race_state.h)
    uint32_t written = 0, reached = 0; // when the owner last did
    bool is_of_several = false;        // threads of the owner warp
  };
  struct Entry {
    uint64_t granule = 0, stamp = 0; // of another stamp: free
    Syncs syncs;
    Level warp, thread;
  };

  Entry& at(uint64_t granule);
  void grow();
  void refine(unsigned shift);
  Conflict reachOne(uint64_t granule, const BlockAccess& access);
  static Conflict step(Level& level, bool is_owner, const BlockAccess& access, uint32_t group, bool& takes_over);
  static void begin(Level& level, const BlockAccess& access);
  static void keepTime(Level& level, const BlockAccess& access);

  BlockId block_;
  uint64_t stamp_ = 0;
  unsigned shift_ = 3;
  std::vector<Syncs> syncs_;
  std::vector<Entry> entries_;
  uint64_t used_ = 0;
};

} // namespace bsgp::runtime::check
