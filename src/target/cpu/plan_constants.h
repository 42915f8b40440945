// A Plan as the constant of plan_abi.h that the runtime executes.
#pragma once

#include <llvm/IR/Module.h>

#include "plan/plan.h"

namespace bsgp::target {

// Defines @plan.symbol, replacing the declaration if there is one. Of each kernel, @symbol.blocks must be in the
// module.
void definePlan(llvm::Module& module, const plan::Plan& plan);

// Where the defined plan holds the functions of its kernels, one for each of plan.kernels; made variable by this.
struct KernelSlots {
  llvm::GlobalVariable* array = nullptr; // null: the plan has none
  llvm::Constant* slot(size_t kernel) const;
};
KernelSlots makeKernelsVariable(llvm::Module& module, const plan::Plan& plan);

} // namespace bsgp::target
