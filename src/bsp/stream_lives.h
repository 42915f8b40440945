// Decides when streams have memory, from the lives of the values in them.
#pragma once

#include <map>
#include <vector>

#include "bsp/crossing.h"
#include "plan/plan.h"

namespace bsgp::bsp {

class StreamLives {
public:
  // Streams that get memory before the superstep's launch, and that give it back behind it.
  const std::vector<uint32_t>& allocated(unsigned superstep) const { return of(allocated_, superstep); }
  const std::vector<uint32_t>& freed(unsigned superstep) const { return of(freed_, superstep); }
  // Allocate, Move, Swap and Free between two supersteps, in order.
  const std::vector<plan::Step>& changesOn(Way way) const {
    static const std::vector<plan::Step> kNone;
    auto known = changes_.find(way);
    return known == changes_.end() ? kNone : known->second;
  }

private:
  friend class StreamLivesFinder;
  using ByStep = std::map<unsigned, std::vector<uint32_t>>;
  static const std::vector<uint32_t>& of(const ByStep& map, unsigned superstep) {
    static const std::vector<uint32_t> kNone;
    auto known = map.find(superstep);
    return known == map.end() ? kNone : known->second;
  }

  ByStep allocated_, freed_;
  std::map<Way, std::vector<plan::Step>> changes_;
};

// Needs streams that are assigned.
StreamLives streamLives(const ir::Supersteps& steps, const Crossing& crossing);

} // namespace bsgp::bsp
