// A Plan as the constant of plan_abi.h that the runtime executes.
//
// The folder `target` itself has what both targets do alike: Plans as constants, places in a block (block_terms.h),
// LLVM's pass managers and code generator as they are used here, and the program for CPUs and the one for GPUs in one
// module (both_targets.h). What differs is in `cpu` and in `ptx`.
#pragma once

#include <llvm/ADT/STLFunctionalExtras.h>
#include <llvm/IR/Module.h>

#include "plan/plan.h"
#include "plan/plan_abi.h"

namespace bsgp::target {

// How the runtime finds a kernel: the fields of bsgp_kernel that depend on the target.
struct KernelEntry {
  std::string name;
  llvm::Constant *run = nullptr, *gpu = nullptr; // one of them
  llvm::Constant* forms = nullptr;
};

// Defines @plan.symbol, in place of the declaration if there is one. `code`: the target of its kernels.
void definePlan(llvm::Module& module, const plan::Plan& plan, bsgp_code_kind code,
                llvm::function_ref<KernelEntry(const plan::Kernel&)> entry);

// Slots of the defined plan that hold the functions of its kernels, one for each of plan.kernels. The array is made
// variable by this.
struct KernelSlots {
  llvm::GlobalVariable* array = nullptr; // null: the plan has none
  llvm::Constant* slot(size_t kernel) const;
};
KernelSlots makeKernelsVariable(llvm::Module& module, const plan::Plan& plan);

} // namespace bsgp::target
