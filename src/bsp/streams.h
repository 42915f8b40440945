#pragma once

#include "bsp/crossing.h"
#include "plan/report.h"

namespace bsgp::bsp {

// Gives everything that is saved a stream (Saved::stream) and tells the plan its streams, the report the life of each
// value, the rows of the table and what arrays cost.
void assignStreams(Crossing& crossing, const ir::Freedom& freedom, plan::Plan& plan, plan::Report& report);

} // namespace bsgp::bsp
