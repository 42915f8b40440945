// Blocks of a launch mostly do the same: the same lines of shared memory between the same block.syncs. As long as a
// block does the same as the one before, the proofs for that one hold for this one, too, and nothing has to be noted:
// until an access is watched (lanes.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "plan/check_abi.h"
#include "runtime/check/block_races.h"

namespace bsgp::runtime::check {

// A step that threads of a block take together. As in bsgp_rt_check_lanes, `reaches` has one for each of the rows; no
// rows: all threads have passed a block.sync.
struct LaneStep {
  const bsgp_check_rows* rows = nullptr;
  uint32_t thread = 0, count = 0; // the first one, in its block; their number
  const bsgp_check_reach* reaches = nullptr;
};

class LaneTrace {
public:
  void enter(BlockId block) {
    if (block != block_) [[unlikely]]
      begin(block);
  }
  // True if the block before took the same step at this place. The step stays open.
  bool goesOn(const LaneStep& step) {
    if (!follows_ || next_ == steps_.size() || !isEqual(steps_[next_], step))
      return false;
    ++next_;
    return true;
  }
  // Adds a step that was proven and noted; open steps before it have to be closed.
  void add(const LaneStep& step);
  // The rest of this block is watched.
  void leave() { follows_ = false; }

  // Calls function(step, is it behind the last block.sync) for each open step, and closes it.
  template <class Function> void close(const Function& function) {
    if (closed_ == next_) [[likely]]
      return;
    size_t last_sync = next_;
    while (last_sync > 0 && steps_[last_sync - 1].rows)
      --last_sync;
    for (; closed_ < next_; ++closed_)
      function(stepAt(closed_), closed_ >= last_sync);
  }

private:
  struct Kept {
    const bsgp_check_rows* rows;
    uint32_t thread, count;
    size_t reaches; // the place of the first
  };
  void begin(BlockId block);
  bool isEqual(const Kept& kept, const LaneStep& step) const;
  LaneStep stepAt(size_t index) const;

  BlockId block_;
  static constexpr size_t kMostSteps = 4096;
  std::vector<Kept> steps_; // of the last block with a new step
  std::vector<bsgp_check_reach> reaches_;
  // Steps of this block: `next_` were taken, and the writes and accesses of the first `closed_` are noted. Those
  // between are open.
  size_t next_ = 0, closed_ = 0;
  bool follows_ = true;
};

} // namespace bsgp::runtime::check
