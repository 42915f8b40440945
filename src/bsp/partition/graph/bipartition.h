// Makes the control flow of a partition two-colourable (section 4.1 of the paper on control-flow emulation). A block then
// always reads the counters from one of two arrays, and its successors from the other one.
#pragma once

#include <utility>
#include <vector>

#include "bsp/partition/block_order.h"

namespace bsgp::bsp {

struct Bipartition {
  BlockGraph next;          // with the copying nodes, behind the others
  std::vector<bool> colour; // of each node
  // The edge that each copying node stands on.
  std::vector<std::pair<unsigned, unsigned>> copied;
};

// Puts a copying node on each edge whose ends have one colour: so on each edge from a node to itself.
Bipartition makeBipartite(const BlockGraph& next);

} // namespace bsgp::bsp
