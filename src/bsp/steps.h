#pragma once

#include "bsp/crossing.h"
#include "ir/spawns.h"

namespace bsgp::bsp {

// Writes down the host's work, in order: plan.steps. Needs the kernels.
void planSteps(const std::vector<ir::Spawn::Step>& steps, const ir::Supersteps& graph, const Crossing& crossing,
               plan::Plan& plan);

} // namespace bsgp::bsp
