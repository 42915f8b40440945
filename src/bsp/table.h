#pragma once

#include "bsp/crossing.h"
#include "plan/report.h"

namespace bsgp::bsp {

// The rows of the paper's tables 1 and 2, with the fate of each value, and remarks on arrays.
void writeTable(const Crossing& crossing, const ir::Freedom& freedom, const plan::Plan& plan, plan::Report& report);

} // namespace bsgp::bsp
