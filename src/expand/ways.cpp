#include "expand/ways.h"

#include <algorithm>
#include <set>

namespace bsgp::expand {

namespace {

bool ends(const std::vector<uint32_t>& list, uint32_t with) {
  return !list.empty() && list.back() == with;
}

} // namespace

// In the order of the text, the dominators of the sources of edges that lead on are known; edges back change nothing.
WayGraph::WayGraph(const FlatSpawn& spawn) : before_(spawn.supersteps.size()), dominator_(spawn.supersteps.size()) {
  for (uint32_t step = 0; step < before_.size(); ++step)
    for (uint32_t to : spawn.supersteps[step].next)
      before_[to].push_back(step);
  for (uint32_t step = 1; step < before_.size(); ++step) {
    uint32_t common = step;
    for (uint32_t from : before_[step]) {
      if (from >= step)
        continue;
      for (uint32_t other = from; common != other;) {
        if (common == step)
          common = other;
        else
          (common > other ? common : other) = dominator_[std::max(common, other)];
      }
    }
    dominator_[step] = common;
  }
  frontier_.resize(before_.size());
  for (uint32_t step = 1; step < before_.size(); ++step)
    for (uint32_t from : before_[step])
      for (uint32_t at = from; at != dominator_[step] && !ends(frontier_[at], step); at = dominator_[at])
        frontier_[at].push_back(step);
}

std::vector<std::vector<uint32_t>> WayGraph::dominated() const {
  std::vector<std::vector<uint32_t>> all(dominator_.size());
  for (uint32_t step = 1; step < dominator_.size(); ++step)
    all[dominator_[step]].push_back(step);
  return all;
}

std::vector<uint32_t> WayGraph::meetings(std::vector<uint32_t> changing) const {
  std::set<uint32_t> found;
  while (!changing.empty()) {
    uint32_t at = changing.back();
    changing.pop_back();
    for (uint32_t meeting : frontier_[at])
      if (found.insert(meeting).second)
        changing.push_back(meeting);
  }
  return {found.begin(), found.end()};
}

bool WayGraph::dominates(uint32_t step, uint32_t other) const {
  while (other > step)
    other = dominator_[other];
  return other == step;
}

void findMeetings(FlatSpawn& spawn) {
  WayGraph ways(spawn);
  std::vector<uint32_t> reassigned;
  for (uint32_t k = 0; k < spawn.supersteps.size(); ++k) {
    spawn.supersteps[k].meets = ways.before(k).size() > 1;
    if (spawn.supersteps[k].reassigned)
      reassigned.push_back(k);
  }
  for (uint32_t k : ways.meetings(std::move(reassigned)))
    spawn.supersteps[k].renumbered = true;
}

} // namespace bsgp::expand
