// The graph of a spawn's supersteps. They stand in the order of the text, so an edge leads on, or back to the head of
// a loop, which every path to its source has passed.
#pragma once

#include <vector>

#include "expand/flat.h"

namespace bsgp::expand {

class WayGraph {
public:
  explicit WayGraph(const FlatSpawn& spawn);

  // The sources of the edges to this superstep; one with two such edges is there twice.
  const std::vector<uint32_t>& before(uint32_t step) const { return before_[step]; }
  // The last superstep that every path to this one has passed; of the first one itself.
  uint32_t dominator(uint32_t step) const { return dominator_[step]; }
  // For each superstep those that it dominates immediately.
  std::vector<std::vector<uint32_t>> dominated() const;
  // Returns the supersteps at which changes of these supersteps join with other values, in the order of the text;
  // these count as changes, too. A superstep is among them if and only if one of these can be passed between its
  // dominator and it [Cytron et al. 1991: Efficiently computing static single assignment form].
  std::vector<uint32_t> meetings(std::vector<uint32_t> changing) const;
  bool dominates(uint32_t step, uint32_t other) const;

private:
  std::vector<std::vector<uint32_t>> before_;
  std::vector<uint32_t> dominator_;
  std::vector<std::vector<uint32_t>> frontier_; // dominance frontiers
};

// Fills `meets` and `renumbered`.
void findMeetings(FlatSpawn& spawn);

} // namespace bsgp::expand
