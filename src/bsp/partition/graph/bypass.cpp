#include "bsp/partition/graph/bypass.h"

#include <numeric>

#include "bsp/partition/graph/cut.h"

namespace bsgp::bsp {

namespace {

// Sets of elements with a parity of each within its set.
class Parities {
public:
  explicit Parities(unsigned count) : parent_(count), odd_(count) { std::iota(parent_.begin(), parent_.end(), 0u); }

  // The element that stands for the set, and whether this one differs from it.
  std::pair<unsigned, bool> find(unsigned element) const {
    bool odd = false;
    for (; parent_[element] != element; element = parent_[element])
      odd ^= odd_[element];
    return {element, odd};
  }

  void join(unsigned a, unsigned b, bool differ) {
    auto [root, odd] = find(a);
    auto [other, other_odd] = find(b);
    if (root == other)
      return;
    parent_[root] = other;
    odd_[root] = odd ^ other_odd ^ differ;
  }

private:
  std::vector<unsigned> parent_;
  std::vector<bool> odd_;
};

// The gadgets of the appendix: a node has a place in front (2 * node) and one behind (2 * node + 1); an edge makes the place
// behind one node the one in front of the other. A node that writes has different arrays at its two; any other one shall have
// the same. What must be is joined, so the cut decides about the rest alone.
class Gadgets {
public:
  Gadgets(const BlockGraph& next, const std::vector<bool>& writes) : places_(unsigned(2 * next.size())) {
    for (unsigned node = 0; node < next.size(); ++node) {
      if (writes[node])
        places_.join(2 * node, 2 * node + 1, true);
      for (unsigned to : next[node])
        places_.join(2 * node + 1, 2 * to, false);
    }
  }

  std::vector<bool> arrays(unsigned nodes, const std::vector<bool>& writes) const {
    std::vector<CutEdge> wishes;
    for (unsigned node = 0; node < nodes; ++node) {
      auto [front, front_odd] = places_.find(2 * node);
      auto [back, back_odd] = places_.find(2 * node + 1);
      if (!writes[node])
        wishes.push_back({front, back, front_odd == back_odd});
    }
    std::vector<bool> of_set = largeCut(2 * nodes, wishes), made(size_t(2) * nodes);
    for (unsigned place = 0; place < 2 * nodes; ++place) {
      auto [set, odd] = places_.find(place);
      made[place] = of_set[set] ^ odd;
    }
    return made;
  }

private:
  Parities places_;
};

} // namespace

Bypass bypassNodes(const BlockGraph& next, const std::vector<bool>& colour, const std::vector<bool>& writes) {
  unsigned nodes = unsigned(next.size());
  std::vector<bool> arrays = Gadgets(next, writes).arrays(nodes, writes);
  Bypass made{std::vector<bool>(nodes), std::vector<bool>(nodes)};
  for (unsigned node = 0; node < nodes; ++node) {
    made.array[node] = arrays[2 * node];
    made.bypassed[node] = arrays[2 * node] == arrays[2 * node + 1];
  }
  if (isOneArrayAtEachNode(next, made))
    return made;
  return {std::vector<bool>(nodes), colour}; // each node copies
}

bool isOneArrayAtEachNode(const BlockGraph& next, const Bypass& bypass) {
  for (unsigned node = 0; node < next.size(); ++node)
    for (unsigned to : next[node])
      if (bypass.array[to] != (bypass.array[node] ^ !bypass.bypassed[node]))
        return false;
  return true;
}

} // namespace bsgp::bsp
