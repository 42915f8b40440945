// What kernels on a GPU have found (gpu_check_abi.h), told as what others find.
#pragma once

#include <span>

#include "plan/gpu_check_abi.h"
#include "plan/plan_abi.h"

namespace bsgp::runtime::check {

// Of a launch with checks that has ended.
void tellFindings(const bsgp_launch& launch, const bsgp_gpu_code& code, std::span<const bsgp_gpu_finding> findings);

} // namespace bsgp::runtime::check
