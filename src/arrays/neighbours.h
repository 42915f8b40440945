// The next number of a type.
#pragma once

#include "arrays/node.h"

namespace bsgp::arrays {

// The next number of the common type from a in the direction of b, as IEEE 754's nextafter.
Result<NodeRef> makeNextafter(const NodeRef& a, const NodeRef& b);

} // namespace bsgp::arrays
