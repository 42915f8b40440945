#pragma once

#include "bsp/crossing.h"
#include "bsp/partition/partition.h"
#include "ir/spawns.h"

namespace bsgp::bsp {

// Writes down the host's work, in order: plan.steps. Needs the kernels.
// `of_partitions`: the streams of each partition of the plan.
void planSteps(const std::vector<ir::Spawn::Step>& steps, const ir::Supersteps& graph, const Crossing& crossing,
               const std::vector<PartitionStreamRange>& of_partitions, plan::Plan& plan);

} // namespace bsgp::bsp
