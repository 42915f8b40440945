#include "runtime/check/lane_trace.h"

#include <cstring>

namespace bsgp::runtime::check {

void LaneTrace::begin(BlockId block) {
  if (block.launch != block_.launch) {
    steps_.clear();
    reaches_.clear();
  }
  block_ = block;
  next_ = closed_ = 0;
  follows_ = true;
}

bool LaneTrace::isEqual(const Kept& kept, const LaneStep& step) const {
  if (kept.rows != step.rows || kept.thread != step.thread || kept.count != step.count)
    return false;
  return !step.rows ||
         std::memcmp(&reaches_[kept.reaches], step.reaches, step.rows->count * sizeof(bsgp_check_reach)) == 0;
}

LaneStep LaneTrace::stepAt(size_t index) const {
  const Kept& kept = steps_[index];
  return {kept.rows, kept.thread, kept.count, reaches_.data() + kept.reaches};
}

void LaneTrace::add(const LaneStep& step) {
  follows_ &= next_ < kMostSteps;
  if (!follows_)
    return;
  if (next_ < steps_.size())
    reaches_.resize(steps_[next_].reaches);
  steps_.resize(next_);
  steps_.push_back({step.rows, step.thread, step.count, reaches_.size()});
  if (step.rows)
    reaches_.insert(reaches_.end(), step.reaches, step.reaches + step.rows->count);
  closed_ = ++next_;
}

} // namespace bsgp::runtime::check
