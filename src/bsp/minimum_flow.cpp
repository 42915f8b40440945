#include "bsp/minimum_flow.h"

#include <algorithm>

namespace bsgp::bsp {

uint32_t MinimumFlow::addEdge(uint32_t from, uint32_t to, uint32_t required, uint32_t capacity, uint32_t flow) {
  uint32_t number = uint32_t(edges_.size());
  edges_.push_back({from, to, required, capacity, flow});
  edges_of_[from].push_back(number);
  edges_of_[to].push_back(number);
  return number;
}

void MinimumFlow::reduce(uint32_t source, uint32_t sink) {
  while (augment(sink, source)) {
  }
}

// How much more could go along the edge when it is left at `node`: forward up to the capacity, backward down to the
// requirement.
uint32_t MinimumFlow::residual(const Edge& edge, uint32_t node) const {
  if (edge.from != node)
    return edge.flow - edge.required;
  return edge.capacity == kUnlimited ? kUnlimited : edge.capacity - edge.flow;
}

// One shortest augmenting path (Edmonds and Karp); returns what it could carry.
uint32_t MinimumFlow::augment(uint32_t from, uint32_t to) {
  constexpr uint32_t kNone = UINT32_MAX;
  std::vector<uint32_t> reached_by(edges_of_.size(), kNone), queue{from};
  auto otherEnd = [&](uint32_t edge, uint32_t node) {
    return edges_[edge].from == node ? edges_[edge].to : edges_[edge].from;
  };
  for (size_t head = 0; head < queue.size() && reached_by[to] == kNone; ++head)
    for (uint32_t edge : edges_of_[queue[head]]) {
      uint32_t next = otherEnd(edge, queue[head]);
      if (next == from || reached_by[next] != kNone || residual(edges_[edge], queue[head]) == 0)
        continue;
      reached_by[next] = edge;
      queue.push_back(next);
    }
  if (reached_by[to] == kNone)
    return 0;
  uint32_t amount = kUnlimited;
  for (uint32_t node = to; node != from; node = otherEnd(reached_by[node], node))
    amount = std::min(amount, residual(edges_[reached_by[node]], otherEnd(reached_by[node], node)));
  for (uint32_t node = to; node != from;) {
    Edge& edge = edges_[reached_by[node]];
    uint32_t previous = otherEnd(reached_by[node], node);
    edge.flow += edge.from == previous ? amount : 0 - amount;
    node = previous;
  }
  return amount;
}

} // namespace bsgp::bsp
