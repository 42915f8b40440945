#include "bsp/partition/graph/cut.h"

#include <algorithm>

namespace bsgp::bsp {

namespace {

struct Neighbour {
  unsigned node = 0;
  bool wants_one = false;
};
using Neighbours = std::vector<std::vector<Neighbour>>;

Neighbours neighboursOf(unsigned nodes, const std::vector<CutEdge>& edges) {
  Neighbours made(nodes);
  for (const CutEdge& edge : edges)
    if (edge.a != edge.b) { // no colour changes what a loop gets
      made[edge.a].push_back({edge.b, edge.wants_one});
      made[edge.b].push_back({edge.a, edge.wants_one});
    }
  return made;
}

// How many more edges get what they want with colour 1 than with 0, of those to nodes below `count`.
int gainOfOne(const std::vector<Neighbour>& neighbours, const std::vector<bool>& colour, unsigned count) {
  int gain = 0;
  for (const Neighbour& other : neighbours)
    if (other.node < count)
      gain += colour[other.node] == other.wants_one ? 1 : -1;
  return gain;
}

} // namespace

std::vector<bool> largeCut(unsigned nodes, const std::vector<CutEdge>& edges) {
  Neighbours neighbours = neighboursOf(nodes, edges);
  std::vector<bool> colour(nodes);
  for (unsigned node = 0; node < nodes; ++node)
    colour[node] = gainOfOne(neighbours[node], colour, node) > 0;
  for (bool changes = true; changes;) {
    changes = false;
    for (unsigned node = 0; node < nodes; ++node) {
      int gain = gainOfOne(neighbours[node], colour, nodes);
      if (gain == 0 || (gain > 0) == colour[node])
        continue;
      colour[node] = gain > 0;
      changes = true;
    }
  }
  return colour;
}

} // namespace bsgp::bsp
