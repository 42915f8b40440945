// The order in which the blocks of a partition are numbered: a reverse postorder in which each loop stands together, its
// header first. So a loop ends before what stands behind it begins.
#pragma once

#include <vector>

namespace bsgp::bsp {

using BlockGraph = std::vector<std::vector<unsigned>>; // the successors of each node

// Returns the nodes that node 0 reaches, in their order; 0 comes first.
std::vector<unsigned> loopOrder(const BlockGraph& next);

} // namespace bsgp::bsp
