// The functions of the contract that reach a target: rank, assert, print, and what a program that watches itself calls.
#pragma once

#include <llvm/IR/IRBuilder.h>

#include "target/cpu/rank_loop.h"

namespace bsgp::target {

enum class AssertMode {
  Call,  // a failing thread reports at once
  Defer, // where it helps vectorization, failures are reported after the loop; not for bodies with loops in them
};

// In these blocks, which the loop runs.
void lowerDeviceCalls(RankLoop& loop, llvm::ArrayRef<llvm::BasicBlock*> blocks, AssertMode mode);

// The functions of the runtime that kernels call.
inline constexpr char kPrintFunction[] = "bsgp_rt_print", kFailFunction[] = "bsgp_rt_device_fail";
inline constexpr char kCheckFunctions[] = "bsgp_rt_check_"; // their names begin so
bool callsRuntime(const llvm::Instruction& instruction);
bool callsChecks(const llvm::Instruction& instruction); // of the runtime, one of those

// A call of kFailFunction. `kind`: bsgp_failure_kind; `rank`: i64.
void reportFailure(llvm::IRBuilder<>& builder, llvm::Value* launch, uint32_t kind, llvm::Value* rank,
                   llvm::Value* site);

} // namespace bsgp::target
