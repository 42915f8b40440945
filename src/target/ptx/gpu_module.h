// The module of kernels: out of the program's, through LLVM, to text.
#pragma once

#include <memory>

#include <llvm/IR/Module.h>
#include <llvm/Target/TargetMachine.h>

#include "target/ptx/ptx_target.h"

namespace bsgp::target {

// Moves the functions that are kernels of a GPU, and what they use, to a module of their own.
std::unique_ptr<llvm::Module> extractKernels(llvm::Module& program);

void optimizeKernels(llvm::Module& kernels, llvm::TargetMachine& machine, const GpuOptions& options);

// Uses up the module.
std::string ptxOf(llvm::Module& kernels, llvm::TargetMachine& machine);

} // namespace bsgp::target
