// NVIDIA GPUs, through CUDA's driver library.
//
// The folder `runtime/cuda` takes launches, copies and allocations of one context; gives them to one stream of the
// driver and waits only where the host must see something (cuda_device.h). It has the driver compile PTX, once, and
// keeps the result (modules.h). Which blocks, ranks and tiles a kernel's threads are is in the compiled code.
//
// Environment: BSGP_CUDA_DRIVER (the library), BSGP_CUDA_DEVICE (number of the GPU), CUDA_LAUNCH_BLOCKING=1 (each
// launch is waited for), and those of the cache of compiled kernels (code_cache.h).
#pragma once

#include <memory>
#include <string>

#include "runtime/device.h"
#include "support/result.h"

namespace bsgp::runtime {

struct GpuInfo {
  std::string name;
  unsigned capability; // 75 for 7.5
};

// The GPU that a context of target "cuda" would be made for; else why there is none. Makes no context, so it is cheap
// but for the first time, when it loads the driver.
Result<GpuInfo> usableGpu();

Result<std::unique_ptr<Device>> createCudaDevice(const DeviceOptions& options);

// Whoever is about to free compiled code (a program compiled at run time) says so: other code may come to lie at its
// addresses.
void codeUnloaded();

} // namespace bsgp::runtime
