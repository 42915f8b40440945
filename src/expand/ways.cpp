#include "expand/ways.h"

#include <algorithm>

namespace bsgp::expand {

// In the order of the text, the dominators of all that ways lead on from are known; those that lead back change nothing.
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
}

std::vector<std::vector<uint32_t>> WayGraph::dominated() const {
  std::vector<std::vector<uint32_t>> all(dominator_.size());
  for (uint32_t step = 1; step < dominator_.size(); ++step)
    all[dominator_[step]].push_back(step);
  return all;
}

std::vector<uint32_t> WayGraph::between(uint32_t step) const {
  std::vector<uint32_t> passed, open = before_[step];
  std::vector<bool> seen(before_.size());
  seen[dominator_[step]] = true;
  while (!open.empty()) {
    uint32_t at = open.back();
    open.pop_back();
    if (seen[at])
      continue;
    seen[at] = true;
    passed.push_back(at);
    open.insert(open.end(), before_[at].begin(), before_[at].end());
  }
  return passed;
}

bool WayGraph::dominates(uint32_t step, uint32_t other) const {
  while (other > step)
    other = dominator_[other];
  return other == step;
}

void findMeetings(FlatSpawn& spawn) {
  WayGraph ways(spawn);
  bool any = std::any_of(spawn.supersteps.begin(), spawn.supersteps.end(),
                         [](const FlatSuperstep& step) { return step.reassigned; });
  for (uint32_t k = 1; k < spawn.supersteps.size(); ++k) {
    FlatSuperstep& step = spawn.supersteps[k];
    step.meets = ways.before(k).size() > 1;
    if (!step.meets || !any)
      continue;
    std::vector<uint32_t> passed = ways.between(k);
    step.renumbered =
        std::any_of(passed.begin(), passed.end(), [&](uint32_t each) { return spawn.supersteps[each].reassigned; });
  }
}

} // namespace bsgp::expand
