#include "runtime/device.h"

#include "runtime/cuda/cuda.h"
#include "runtime/profile.h"

// A program with code for GPUs defines it (plan_abi.h).
extern "C" [[gnu::weak]] const uint32_t bsgp_program_has_gpu_code;

namespace bsgp::runtime {

Result<void> Device::launchProfiled(const Work& work, std::unique_ptr<DeviceCall>& call, Profile& profile) {
  auto span = Profile::begin();
  auto launched = launch(work, call);
  profile.launched(work.plan, work.kernel, work.launch.size, span);
  return launched;
}

Result<std::unique_ptr<Device>> createDevice(const std::string& target, const DeviceOptions& options) {
  if (target == "cuda")
    return createCudaDevice(options);
  if (target == "auto" && &bsgp_program_has_gpu_code && usableGpu())
    if (auto device = createCudaDevice(options))
      return device;
  if (target == "cpu" || target == "auto")
    return createCpuDevice(options);
  if (target == "reference")
    return createReferenceDevice(options);
  return Error{"there is no target '" + target + "' in this runtime; it has auto, cpu, cuda and reference"};
}

} // namespace bsgp::runtime
