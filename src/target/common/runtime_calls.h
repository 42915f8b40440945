// The functions of the runtime that kernels for CPUs call.
#pragma once

#include <llvm/IR/Instructions.h>

namespace bsgp::target {

inline constexpr char kPrintFunction[] = "bsgp_rt_print", kFailFunction[] = "bsgp_rt_device_fail";
inline constexpr char kCheckFunctions[] = "bsgp_rt_check_"; // their names begin so

bool callsRuntime(const llvm::Instruction& instruction);
bool callsChecks(const llvm::Instruction& instruction); // of the runtime, one of those

} // namespace bsgp::target
