#pragma once

#include "bsp/crossing.h"
#include "plan/report.h"

namespace bsgp::bsp {

// Gives each stored copy a stream and tells the plan its streams. The report gets the life of each value, the rows of
// the table and what arrays cost.
void assignStreams(Crossing& crossing, const ir::Freedom& freedom, plan::Plan& plan, plan::Report& report);

} // namespace bsgp::bsp
