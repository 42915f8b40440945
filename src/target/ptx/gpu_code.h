// The PTX of a program and its tables, as constants of the host.
#pragma once

#include "target/ptx/gpu_kernel.h"

namespace bsgp::target {

// Defines the constant bsgp_gpu_code.
llvm::Constant* defineGpuCode(llvm::Module& host, const std::string& ptx, unsigned sm, const GpuTables& tables);
// The same without the text, which fillInPtx puts in later.
llvm::Constant* defineOpenGpuCode(llvm::Module& host, unsigned sm, const GpuTables& tables);
// A constant bsgp_gpu_kernel.
llvm::Constant* defineGpuKernel(llvm::Module& host, llvm::Constant* code, const GpuKernel& kernel);

} // namespace bsgp::target
