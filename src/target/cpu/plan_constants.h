// A Plan as the constant of plan_abi.h that the runtime executes.
#pragma once

#include <llvm/IR/Module.h>

#include "plan/plan.h"

namespace bsgp::target {

// Defines @plan.symbol, replacing the declaration if there is one. Of each kernel, @symbol.blocks must be in the
// module.
void definePlan(llvm::Module& module, const plan::Plan& plan);

} // namespace bsgp::target
