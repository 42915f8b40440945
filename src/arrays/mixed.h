// Integers of different ranges: comparisons are exact, and a number of the text that an array's type does not have is an error.
#pragma once

#include <array>
#include <optional>

#include "arrays/node.h"

namespace bsgp::arrays {

// Fails where one of the operands is a whole number of the text outside of `type`, which it would be converted to.
Result<void> fitsType(const char* what, std::span<const NodeRef> operands, bsgp_dtype type);

// The comparison of two integers that no common type holds: of int64 and uint64, or with a number of the text that the other's type does
// not have. Else nothing.
std::optional<Result<NodeRef>> comparedExactly(bsgp_operation operation, std::span<const NodeRef> operands,
                                               const Shape& shape);

} // namespace bsgp::arrays
