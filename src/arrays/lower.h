// Stored nodes over the same places → one kernel. Transformations are pushed to the arrays that are loaded and composed there, borders
// become conditions, and each value is computed once.
#pragma once

#include <functional>
#include <span>

#include "arrays/kernel.h"

namespace bsgp::arrays {

// The order in which a node's kernel passes over places: of a reduction over the operand's, else over its own. Axes that are reduced
// stand behind the others, or in front of a last one that is not: neighbours in memory stay neighbours.
Places placesOf(const Node& node);
// The axis of the places for each axis of what the kernel computes (the operand of a reduction).
std::vector<int32_t> orderOf(const Node& node);

struct Known {
  std::function<bool(const Node&)> is_stored;  // computed already, or by a kernel
  std::function<Node*(const Node&)> canonical; // of the nodes that are equal, the one that a kernel makes
};

// The array with the values of a node that is stored, or reshaped from one that is.
Node& storedArray(Node& node, const Known& known);

// Over all places, in the order in which they are stored: it can be made along with its operand.
bool foldsAll(const Node& reduction);
// A kernel makes it place by place, so that others over the same places can go on with its values.
bool isMadeByPlaces(const Node& node);

Kernel lower(std::span<Node* const> nodes, const Known& known);

} // namespace bsgp::arrays
