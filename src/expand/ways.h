// The graph of a spawn's supersteps. They stand in the order of the text, so a way leads on, or back to the head of a
// loop, which every way to its source has passed.
#pragma once

#include <vector>

#include "expand/flat.h"

namespace bsgp::expand {

class WayGraph {
public:
  explicit WayGraph(const FlatSpawn& spawn);

  // From where the ways to this superstep come; of two ways from one superstep it stands twice.
  const std::vector<uint32_t>& before(uint32_t step) const { return before_[step]; }
  // The last superstep that every way to this one has passed; of the first one itself.
  uint32_t dominator(uint32_t step) const { return dominator_[step]; }
  // For each superstep those that it dominates immediately.
  std::vector<std::vector<uint32_t>> dominated() const;
  // The supersteps that a thread may pass between the last time at its dominator and this superstep; of a loop's head
  // the loop, with the head itself.
  std::vector<uint32_t> between(uint32_t step) const;
  bool dominates(uint32_t step, uint32_t other) const;

private:
  std::vector<std::vector<uint32_t>> before_;
  std::vector<uint32_t> dominator_;
};

// Fills `meets` and `renumbered`.
void findMeetings(FlatSpawn& spawn);

} // namespace bsgp::expand
