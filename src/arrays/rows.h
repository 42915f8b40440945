// Sorts and scans the rows of an array, and finds their least and greatest elements, each in a pass of its own.
#pragma once

#include "arrays/kernel.h"
#include "runtime/cpu/pool.h"

namespace bsgp::arrays {

// Rows of at least so many elements are sorted, if there are few of them, and scanned by the primitives of the language.
inline constexpr int64_t kLongRow = 1 << 14, kFewRows = 64;

// Gives a kernel's node of Kind::Rows its values. Its operand is computed.
Result<void> runRows(const Kernel& kernel, runtime::Pool& pool);

} // namespace bsgp::arrays
