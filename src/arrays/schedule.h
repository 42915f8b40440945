// Graph → kernels: which nodes are stored, and what is computed together.
#pragma once

#include <span>

#include "arrays/kernel.h"

namespace bsgp::arrays {

struct Schedule {
  std::vector<Kernel> kernels; // in an order in which each can run
  // Nodes that have the same values as another one, which a kernel makes or which is computed already.
  std::vector<std::pair<NodeRef, NodeRef>> equal; // (node, the one with the values)
};

// The kernels that give all of `outputs` their values. fuse: false: each operation is a kernel.
Schedule makeSchedule(std::span<Node* const> outputs, bool fuse);

} // namespace bsgp::arrays
