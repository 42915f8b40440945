#pragma once

#include "bsp/crossing.h"
#include "plan/plan.h"

namespace bsgp::bsp {

// Makes a kernel of each superstep that does anything, and puts it into spawn.plan. The spawn's function is left
// behind, as it was.
void makeKernels(ir::Spawn& spawn, const Supersteps& steps, const Freedom& freedom, const Crossing& crossing);

} // namespace bsgp::bsp
