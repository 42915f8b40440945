#pragma once

#include "bsp/crossing.h"
#include "ir/module.h"

namespace bsgp::bsp {

// Writes down what the host does, in order: spawn.plan.steps. Needs the kernels.
void planSteps(ir::Spawn& spawn, const Crossing& crossing);

} // namespace bsgp::bsp
