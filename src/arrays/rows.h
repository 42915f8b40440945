// What is computed of the rows of an array by passes of their own: sorting, scans, places of the least and the greatest.
#pragma once

#include "arrays/kernel.h"
#include "runtime/cpu/pool.h"

namespace bsgp::arrays {

// Gives a kernel's node of Kind::Rows its values. Its operand is computed.
Result<void> runRows(const Kernel& kernel, runtime::Pool& pool);

} // namespace bsgp::arrays
