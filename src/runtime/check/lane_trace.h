// Blocks of a launch mostly do the same: the same lines of shared memory between the same block.syncs. As long as a block
// does what another one did before it, what was shown of that holds of this one, too, and nothing has to be noted: until
// something is watched (lanes.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "plan/check_abi.h"
#include "runtime/check/block_races.h"

namespace bsgp::runtime::check {

// What threads of a block do together. As in bsgp_rt_check_lanes, `reaches` has one for each of the rows; no rows: all
// threads have passed a block.sync.
struct LaneStep {
  const bsgp_check_rows* rows = nullptr;
  uint32_t thread = 0, count = 0; // the first one, in its block; how many
  const bsgp_check_reach* reaches = nullptr;
};

class LaneTrace {
public:
  void enter(BlockId block) {
    if (block != block_) [[unlikely]]
      begin(block);
  }
  // True: so did the block before, at this place. It stays open.
  bool goesOn(const LaneStep& step) {
    if (!follows_ || next_ == steps_.size() || !isEqual(steps_[next_], step))
      return false;
    ++next_;
    return true;
  }
  // It was shown and noted; what was open before it has to be closed.
  void add(const LaneStep& step);
  // What comes in this block is watched.
  void leave() { follows_ = false; }

  // Calls function(step, is it behind the last block.sync) for each that is open, and closes it.
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
    size_t reaches; // where they begin
  };
  void begin(BlockId block);
  bool isEqual(const Kept& kept, const LaneStep& step) const;
  LaneStep stepAt(size_t index) const;

  BlockId block_;
  static constexpr size_t kMostSteps = 4096;
  std::vector<Kept> steps_; // of the last block that did something new
  std::vector<bsgp_check_reach> reaches_;
  // Steps of this block: so many were made, and of so many of them it is noted what they wrote and reached. Those between
  // are open.
  size_t next_ = 0, closed_ = 0;
  bool follows_ = true;
};

} // namespace bsgp::runtime::check
