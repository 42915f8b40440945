// Finds the nodes that need not copy a value which some of them read and write (section 4.2 and the appendix of the paper on
// control-flow emulation). Such a value has two arrays; a node that writes it, or copies it, reads one and writes the other.
// All ways to a node have to leave the value in the same array.
#pragma once

#include <vector>

#include "bsp/partition/block_order.h"

namespace bsgp::bsp {

struct Bypass {
  std::vector<bool> bypassed; // neither writes the value nor copies it
  std::vector<bool> array;    // of each node: which one has the value when it begins
};

// `next` has colours without an edge between equal ones, or there need not be a solution. `writes`: the nodes that read and
// write the value. At least half of those nodes are bypassed that could be if each were judged by itself.
Bypass bypassNodes(const BlockGraph& next, const std::vector<bool>& colour, const std::vector<bool>& writes);

// Do all ways to each node leave the value in one array, if the nodes that are not bypassed change it?
bool isOneArrayAtEachNode(const BlockGraph& next, const Bypass& bypass);

} // namespace bsgp::bsp
