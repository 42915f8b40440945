// The machine that code is made for, as LLVM knows it.
#pragma once

#include <memory>

#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/IR/Module.h>
#include <llvm/Target/TargetMachine.h>

#include "support/result.h"
#include "target/cpu/cpu_target.h"

namespace bsgp::target {

// Makes the machine of the kind that options.triple names, with options.cpu; fails on a name LLVM does not know.
Result<std::unique_ptr<llvm::TargetMachine>> createMachine(const CpuOptions& options);

// Returns the features that its code needs beside the architecture: bits as bsgp_cpu has them.
uint64_t featuresOf(const llvm::TargetMachine& machine);

// Has the function compiled for that machine, whatever the rest of the module is compiled for.
void describeFunction(llvm::Function& function, const llvm::TargetMachine& machine);

// Triple and data layout, which depend on the kind of machine alone.
void describeMachine(llvm::Module& module, const CpuOptions& options);

} // namespace bsgp::target
