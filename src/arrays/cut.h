// Cuts a graph into stages that run one after the other: in front of a loop, in it, and behind it.
#pragma once

#include <span>
#include <vector>

#include "arrays/node.h"

namespace bsgp::arrays {

struct Cut {
  std::vector<bool> is_reached; // of the known nodes
  std::vector<NodeRef> crossing;
};

// Follows what `roots` are made of, and stops at `known` ones. Crossing are nodes that are computed outside of `scope`, or, where it is 0,
// for `earlier` ones. Nodes that only move elements are followed: each stage does that by itself.
Cut cutOf(std::span<const NodeRef> roots, std::span<const NodeRef> known, std::span<const NodeRef> earlier,
          uint32_t scope);

} // namespace bsgp::arrays
