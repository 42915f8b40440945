#pragma once

#include "bsp/crossing.h"
#include "ir/module.h"

namespace bsgp::bsp {

// Makes a kernel of each superstep that does anything, and puts it into spawn.plan. The spawn's function is left
// behind, as it was.
void makeKernels(ir::Spawn& spawn, const ir::Supersteps& steps, const ir::Freedom& freedom, const Crossing& crossing);

} // namespace bsgp::bsp
