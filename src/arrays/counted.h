// Operations whose shape depends on values: they compute their operands at once.
#pragma once

#include "arrays/node.h"

namespace bsgp::arrays {

Result<NodeRef> makeCompress(const NodeRef& array, const NodeRef& flags);
Result<NodeRef> makeUnique(const NodeRef& array);

} // namespace bsgp::arrays
