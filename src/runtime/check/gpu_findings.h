// Reports the findings of kernels on a GPU (gpu_check_abi.h), in the same form as others.
#pragma once

#include <span>

#include "plan/gpu_check_abi.h"
#include "plan/plan_abi.h"

namespace bsgp::runtime::check {

// Is called for a launch with checks that has ended.
void tellFindings(const bsgp_launch& launch, const bsgp_gpu_code& code, std::span<const bsgp_gpu_finding> findings);

} // namespace bsgp::runtime::check
