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

class BlockRaces {
public:
  struct Access {
    uint32_t thread; // in its block
    RaceClass access_class;
    uint32_t site; // its number
  };
  struct Conflict {
    bool found = false;
    uint32_t thread = 0, site = 0; // the other
    bool knows_other = true;       // else it was another one than that
    bool others_too = false;
  };

  void enter(BlockId block, int64_t threads);
  void blockSync(uint32_t thread) { ++syncs_[thread].block; }
  void warpSync(uint32_t thread) { ++syncs_[thread].warp; }

  // `address` need not be memory: what is equal is one place. All granules of the access; the first conflict.
  Conflict reach(uint64_t address, uint64_t bytes, const Access& access);

private:
  static constexpr uint32_t kWarp = 32;
  struct Syncs {
    uint32_t block = 0, warp = 0;
  };
  struct Level {
    RaceState state = 0;
    uint32_t thread = 0, site = 0; // the owner, or one of the owner warp
  };
  struct Entry {
    uint64_t granule = 0, stamp = 0; // of another stamp: free
    Syncs syncs;
    Level warp, thread;
  };

  Entry& at(uint64_t granule);
  void grow();
  void refine(unsigned shift);
  Conflict reachOne(uint64_t granule, const Access& access);
  static Conflict step(Level& level, bool is_owner, const Access& access, bool& takes_over);
  static void begin(Level& level, const Access& access);

  BlockId block_;
  uint64_t stamp_ = 0;
  unsigned shift_ = 3;
  std::vector<Syncs> syncs_;
  std::vector<Entry> entries_;
  uint64_t used_ = 0;
};

} // namespace bsgp::runtime::check
