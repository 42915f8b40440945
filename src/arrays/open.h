// Parameters of functions, and what is made of them: open nodes, which have no values.
//
// An extent of a parameter may be unknown (-1), so an open node remembers how it was made: a call makes it again of arguments whose
// shapes are known. Its own shape and type are found by trying: it is made of stand-ins with two sizes in place of unknown extents, and
// what differs between the two results is unknown, too.
#pragma once

#include "arrays/node.h"

namespace bsgp::arrays {

inline bool isOpen(const Node& node) {
  return node.kind == Kind::Open;
}

inline bool isParameter(const Node& node) {
  return isOpen(node) && !node.details->maker;
}

// Extents may be -1.
Result<NodeRef> makeParameter(bsgp_dtype type, int32_t rank, const int64_t* extents);
// maker makes the node of operands like those given, of which some are open.
Result<NodeRef> makeOpen(std::span<const NodeRef> operands, Maker maker);

// Extents that are given are known; whether the elements fill them, a call finds out.
Result<NodeRef> makeOpenReshape(const NodeRef& operand, int32_t rank, const int64_t* extents);

} // namespace bsgp::arrays
