#pragma once

#include "bsp/crossing.h"
#include "ir/module.h"

namespace bsgp::bsp {

// Gives everything that is saved a stream (Saved::stream) and tells the plan: its streams, the life of each value, the
// rows of the table and what arrays cost.
void assignStreams(Crossing& crossing, const ir::Freedom& freedom, ir::Spawn& spawn);

} // namespace bsgp::bsp
