// The functions of the contract that reach a target: rank, assert, print, and what a program that watches itself calls.
#pragma once

#include <llvm/IR/IRBuilder.h>

#include "target/common/runtime_calls.h"
#include "target/cpu/ranks/rank_loop.h"

namespace bsgp::target {

enum class AssertMode {
  Call,  // a failing thread reports at once
  Defer, // where it helps vectorization, failures are reported after the loop; not for bodies with loops in them
};

// In these blocks, which the loop runs.
void lowerDeviceCalls(RankLoop& loop, llvm::ArrayRef<llvm::BasicBlock*> blocks, AssertMode mode);

// A call of kFailFunction. `kind`: bsgp_failure_kind; `rank`: i64.
void reportFailure(llvm::IRBuilder<>& builder, llvm::Value* launch, uint32_t kind, llvm::Value* rank,
                   llvm::Value* site);

} // namespace bsgp::target
