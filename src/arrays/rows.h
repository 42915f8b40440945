// Sorts and scans the rows of an array, and finds their least and greatest elements, each in a pass of its own.
#pragma once

#include "arrays/kernel.h"
#include "runtime/cpu/pool.h"

namespace bsgp::arrays {

// Gives a kernel's node of Kind::Rows its values. Its operand is computed.
Result<void> runRows(const Kernel& kernel, runtime::Pool& pool);

} // namespace bsgp::arrays
