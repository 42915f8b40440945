// Stored nodes over the same places → one kernel. Transformations are pushed to the arrays that are loaded and composed there, borders
// become conditions, and each value is computed once.
#pragma once

#include <span>

#include "arrays/kernel.h"

namespace bsgp::arrays {

// The order in which a node's kernel passes over places: of a reduction over the operand's, else over its own. Axes that are reduced
// stand behind the others, or in front of a last one that is not: neighbours in memory stay neighbours.
Places placesOf(const Node& node);
// The axis of the places for each axis of what the kernel computes (the operand of a reduction).
std::vector<int32_t> orderOf(const Node& node);

// By the numbers of nodes.
struct Known {
  std::vector<Node*> canonical;   // of the nodes that are equal, the one that a kernel makes
  std::vector<uint8_t> is_stored; // by a kernel

  Node* canonicalOf(const Node& node) const { return canonical[node.number]; }
  bool isStored(const Node& node) const { return node.isComputed() || is_stored[node.number]; }
};

// The array with the values of a node that is stored, or reshaped from one that is.
Node& storedArray(Node& node, const Known& known);

// Over all places, in the order in which they are stored: it can be made along with its operand.
bool foldsAll(const Node& reduction);
// A kernel makes it place by place, so that others over the same places can go on with its values.
bool isMadeByPlaces(const Node& node);

Kernel lower(std::span<Node* const> nodes, const Known& known);

} // namespace bsgp::arrays
