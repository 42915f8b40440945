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
  // Where what these supersteps change meets what it is on another way, in the order of the text; what has met is
  // changed, too. A superstep is among them if and only if one of these can be passed between its dominator and it
  // [Cytron et al. 1991: Efficiently computing static single assignment form].
  std::vector<uint32_t> meetings(std::vector<uint32_t> changing) const;
  bool dominates(uint32_t step, uint32_t other) const;

private:
  std::vector<std::vector<uint32_t>> before_;
  std::vector<uint32_t> dominator_;
  std::vector<std::vector<uint32_t>> frontier_; // where ways from what a superstep dominates meet others
};

// Fills `meets` and `renumbered`.
void findMeetings(FlatSpawn& spawn);

} // namespace bsgp::expand
