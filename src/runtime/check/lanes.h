// Proves properties of the threads of one block between two block.syncs, before they run: the same as for a launch
// (rows.h), for shared memory. Proven accesses are not watched; their lines are compared with those that follow
// before the next block.sync.
#pragma once

#include "plan/check_abi.h"
#include "runtime/check/block_races.h"
#include "runtime/check/launch.h"

namespace bsgp::runtime::check {

// True if two different threads may meet, one at a place of `a`, one at a place of `b`.
bool mayMeet(const LaneLine& a, const LaneLine& b);

// The lines of some threads of one block.
class LaneLines {
public:
  LaneLines(const bsgp_launch& launch, int64_t first_rank, int64_t count, const bsgp_check_rows& rows,
            const bsgp_check_reach* reaches);
  bool areShown() const { return areInside() && areNoRaces() && areWritten(); }
  // Notes the accesses as done: the bytes that they wrote, and the lines that may race with others up to the next
  // block.sync.
  void noteWrites();
  void keep();

private:
  bool areInside() const;
  bool areNoRaces() const;
  bool areWritten() const;
  bool looksFor(uint32_t i, uint32_t kind) const {
    return (rows_.uses[i].site->checks & kind) && launch_.check->checker->looksFor(kind);
  }
  bool isWritten(const LaneLine& line, bool write) const;

  const bsgp_launch& launch_;
  const bsgp_check_rows& rows_;
  const bsgp_check_reach* reaches_;
  Worker& worker_;
  std::vector<LaneLine>& lines_;
  BlockRaces* races_ = nullptr; // null: races are not looked for
};

// As bsgp_rt_check_lanes says. Proven accesses are noted.
bool showLanes(const bsgp_launch& launch, int64_t first_rank, int64_t count, const bsgp_check_rows& rows,
               const bsgp_check_reach* reaches);
// All threads of the block that `rank` is in have passed a block.sync.
void passSync(const bsgp_launch& launch, int64_t rank, Worker& worker);
// Is called before a watched access to shared memory, or an operation of a single thread at a sync, in the block that
// `rank` is in.
void beginWatching(const bsgp_launch& launch, int64_t rank, Worker& worker);

} // namespace bsgp::runtime::check
