// A cut of a graph: a colour for each node. An edge is cut if its ends have different colours.
#pragma once

#include <utility>
#include <vector>

namespace bsgp::bsp {

struct CutEdge {
  unsigned a = 0, b = 0;
  bool wants_one = false; // the edge is to be left whole, not cut
};

// Returns colours that give at least half of the edges between different nodes what they want. Node by node it takes the better
// colour (Sahni and Gonzalez); then it changes the colour of single nodes as long as that gains edges.
std::vector<bool> largeCut(unsigned nodes, const std::vector<CutEdge>& edges);

} // namespace bsgp::bsp
