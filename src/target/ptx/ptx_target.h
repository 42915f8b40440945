// The target for NVIDIA GPUs: kernels become PTX, which the driver of the GPU compiles for the one that is there.
//
// The folder `target/ptx` takes ir::Kernels; gives their PTX, as a constant of the module, and plans as constants. A
// kernel stays a function of one thread: gpu_kernel.cpp puts an entry before it that says which thread it is. Host code
// stays in the module, for the CPU target to compile. Machine code and registers are left to the driver, launches and
// copies to runtime/cuda.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "ir/kernels.h"
#include "support/result.h"
#include "target/cpu/cpu_target.h"

namespace llvm {
class Module;
class TargetMachine;
} // namespace llvm

namespace bsgp::target {

struct GpuOptions {
  unsigned opt_level = 3;
  unsigned sm = 75;         // compute capability that the kernels need: 75, 80, 86, 87, 89 or 90
  bool approximate = false; // divisions and roots that may be inexact (--fp=fast) as the hardware does them
  bool verify = false;      // as CpuOptions::verify
  std::function<void(std::string_view pass, const llvm::Module&)> after_pass;
};

// "sm_80" to 80.
Result<unsigned> smNumber(const std::string& name);
// The newest capability there is code for that a GPU of capability `sm` can run.
Result<unsigned> smFor(unsigned sm);

// Takes the kernels out of the module, compiles them, and defines the plans with them. What is left is for the machine
// of `host`. Returns the kernels' PTX, of which the module has a copy.
std::string lowerKernelsToPtx(ir::Kernels& program, const GpuOptions& options, const CpuOptions& host);

// The kernels that were taken out of a program, on their way to PTX. Uses the program's context.
class GpuKernels {
public:
  GpuKernels(std::unique_ptr<llvm::Module> module, std::unique_ptr<llvm::TargetMachine> machine, GpuOptions options);
  GpuKernels(GpuKernels&&);
  ~GpuKernels();
  std::string ptx(); // once

private:
  std::unique_ptr<llvm::Module> module_;
  std::unique_ptr<llvm::TargetMachine> machine_;
  GpuOptions options_;
};

// The same in steps, for code whose PTX is made meanwhile: takes the kernels out and defines the plans; and puts the
// PTX into the module that the plans are in, at any time before its code is generated.
GpuKernels takeKernels(ir::Kernels& program, const GpuOptions& options, const CpuOptions& host);
void fillInPtx(llvm::Module& host, const std::string& ptx);

} // namespace bsgp::target
