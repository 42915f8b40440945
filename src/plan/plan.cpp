#include "plan/plan.h"

#include <algorithm>

namespace bsgp::plan {

const Kernel* kernelOf(const Plan& plan, uint32_t superstep) {
  auto kernel = std::lower_bound(plan.kernels.begin(), plan.kernels.end(), superstep,
                                 [](const Kernel& kernel, uint32_t number) { return kernel.superstep < number; });
  return kernel != plan.kernels.end() && kernel->superstep == superstep ? &*kernel : nullptr;
}

std::vector<uint32_t> nextOf(const Outline& outline, uint32_t superstep) {
  const std::vector<uint32_t>& next = outline.supersteps[superstep - 1].next;
  if (!next.empty())
    return next;
  return {superstep < outline.supersteps.size() ? superstep + 1 : 0};
}

const Partition* partitionOf(const Plan& plan, uint32_t kernel) {
  auto begins = [&](const Partition& partition) { return partition.blocks.front().kernel == kernel; };
  auto found = std::find_if(plan.partitions.begin(), plan.partitions.end(), begins);
  return found == plan.partitions.end() ? nullptr : &*found;
}

bool decides(const Plan& plan) {
  return std::any_of(plan.steps.begin(), plan.steps.end(), [](const Step& step) { return step.kind == Step::Decide; });
}

} // namespace bsgp::plan
