#include "compile/runs_here.h"

#include "runtime/cpu_choice.h"
#include "runtime/cuda/cuda.h"
#include "target/cpu/cpu_target.h"
#include "target/ptx/ptx_target.h"

namespace bsgp::compile {

Result<void> checkRunsHere(const std::string& cpu) {
  if (cpu == "native")
    return {};
  Result<uint64_t> features = target::cpuFeatures(cpu);
  if (!features)
    return features.error();
  std::string missing = runtime::missingFeatures(*features);
  if (missing.empty())
    return {};
  return Error{"this machine cannot run code for " + cpu + ": it lacks " + missing};
}

Result<unsigned> smOf(const std::string& gpu) {
  if (gpu != "native")
    return target::smNumber(gpu);
  Result<runtime::GpuInfo> found = runtime::usableGpu();
  return found ? target::smFor(found->capability) : found.error();
}

} // namespace bsgp::compile
