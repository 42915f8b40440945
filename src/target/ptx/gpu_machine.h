// LLVM's code generator for NVIDIA GPUs.
#pragma once

#include <memory>

#include <llvm/Target/TargetMachine.h>

#include "target/ptx/ptx_target.h"

namespace bsgp::target {

std::unique_ptr<llvm::TargetMachine> createGpuMachine(const GpuOptions& options);

} // namespace bsgp::target
