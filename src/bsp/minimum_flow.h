// The smallest flow from a source to a sink in which every edge carries at least its requirement (Ford and Fulkerson):
// what the paper finds the fewest streams with (section 4.3).
//
// In a straight line of supersteps lifetimes are intervals of one line. The smallest flow is then the largest number of
// lifetimes that have a time in common, and counting those would give the same number (stream_sharing.cpp).
#pragma once

#include <cstdint>
#include <vector>

namespace bsgp::bsp {

class MinimumFlow {
public:
  static constexpr uint32_t kUnlimited = UINT32_MAX;

  explicit MinimumFlow(uint32_t nodes) : edges_of_(nodes) {}

  // `flow` must be at least `required`; all the flows together must be feasible. Returns the edge's number.
  uint32_t addEdge(uint32_t from, uint32_t to, uint32_t required, uint32_t capacity, uint32_t flow);

  // Takes away what can be taken away: each augmenting path from sink to source in the residual graph is flow that no
  // requirement needs.
  void reduce(uint32_t source, uint32_t sink);

  uint32_t flow(uint32_t edge) const { return edges_[edge].flow; }

private:
  struct Edge {
    uint32_t from, to, required, capacity, flow;
  };
  uint32_t residual(const Edge& edge, uint32_t node) const;
  uint32_t augment(uint32_t from, uint32_t to);

  std::vector<Edge> edges_;
  std::vector<std::vector<uint32_t>> edges_of_; // of each node, both directions
};

} // namespace bsgp::bsp
