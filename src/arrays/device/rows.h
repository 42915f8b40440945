// Kernels of Kind::Rows on a target: a program for each operation, type and way. Short rows have a thread each; of few long rows, each is
// sorted or scanned by a primitive of the language.
#pragma once

#include "arrays/device/memory.h"
#include "arrays/kernel.h"

namespace bsgp::arrays {

Result<void> runRowsOn(Target target, const Kernel& kernel, const DeviceBuffer& from, const DeviceBuffer& to);

} // namespace bsgp::arrays
