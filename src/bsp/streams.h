#pragma once

#include "bsp/crossing.h"
#include "plan/report.h"

namespace bsgp::bsp {

// Gives each stored copy a stream and enters the streams in the plan. The report gets the life of each value, the
// rows of the table and the costs of arrays.
void assignStreams(Crossing& crossing, const ir::Freedom& freedom, plan::Plan& plan, plan::Report& report);

} // namespace bsgp::bsp
