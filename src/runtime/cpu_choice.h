// Which of the machines that an object is compiled for is this one.
#pragma once

#include <string>

#include "plan/plan_abi.h"
#include "support/result.h"

namespace bsgp::runtime {

uint64_t machineFeatures();                     // of this machine, as bits of bsgp_cpu; asked for once
std::string missingFeatures(uint64_t features); // those that this machine lacks, as LLVM names them: "avx2, fma"; or ""

// The number of the one to take. `wanted`: its name; null: the last one that this machine is like.
Result<uint32_t> chooseCpu(const bsgp_cpus& cpus, const char* wanted);

} // namespace bsgp::runtime
