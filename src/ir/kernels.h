// The form behind the split, from bsp to the targets: a function for each superstep that has anything to run
// (operations.h), and a Plan for each spawn.
#pragma once

#include <memory>
#include <vector>

#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>

#include "plan/plan.h"
#include "plan/report.h"

namespace bsgp::ir {

struct Kernels {
  std::unique_ptr<llvm::LLVMContext> context;
  std::unique_ptr<llvm::Module> module; // host functions too
  std::vector<plan::Plan> plans;        // of each spawn; plan::Kernel::symbol names a function of the module
  std::vector<plan::Report> reports;    // as `plans`; for people
};

} // namespace bsgp::ir
