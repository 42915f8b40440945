#include "plan/plan.h"

#include <algorithm>

namespace bsgp::plan {

const Kernel* kernelOf(const Plan& plan, uint32_t superstep) {
  auto kernel = std::lower_bound(plan.kernels.begin(), plan.kernels.end(), superstep,
                                 [](const Kernel& kernel, uint32_t number) { return kernel.superstep < number; });
  return kernel != plan.kernels.end() && kernel->superstep == superstep ? &*kernel : nullptr;
}

} // namespace bsgp::plan
