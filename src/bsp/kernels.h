#pragma once

#include "bsp/crossing.h"
#include "plan/plan.h"

namespace bsgp::bsp {

// Makes a kernel of each superstep that does anything, and puts it into the plan. The spawn's function is left
// behind, as it was.
void makeKernels(llvm::Function& spawn, const ir::Supersteps& steps, const ir::Freedom& freedom,
                 const Crossing& crossing, plan::Plan& plan);

} // namespace bsgp::bsp
