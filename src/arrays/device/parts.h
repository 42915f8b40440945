// Kernel → kernels that become programs of moderate size: few reductions each, and no instructions but those that they need. So the
// parts of a kernel with many like reductions are one form.
#pragma once

#include "arrays/kernel.h"

namespace bsgp::arrays {

std::vector<Kernel> partsOf(const Kernel& kernel);

} // namespace bsgp::arrays
