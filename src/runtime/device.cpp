#include "runtime/device.h"

namespace bsgp::runtime {

Result<std::unique_ptr<Device>> createDevice(const std::string& target, const DeviceOptions& options) {
  if (target == "cpu" || target == "auto")
    return createCpuDevice(options);
  if (target == "reference")
    return createReferenceDevice(options);
  return Error{"there is no target '" + target + "' in this runtime; it has auto, cpu and reference"};
}

} // namespace bsgp::runtime
