// The calls of a program that watches itself (plan/check_abi.h).
#pragma once

#include <llvm/IR/IRBuilder.h>

#include "target/cpu/ranks/rank_loop.h"

namespace bsgp::target {

// Returns the kinds of errors that the program was made to look for: bits of bsgp_check_kind, which src/check notes
// for the runtime.
uint64_t checksOf(const llvm::Module& module);

// `check`: one of the operations bsgp.check.* in a thread's body, which the loop runs.
void lowerCheck(llvm::CallInst& check, const RankLoop& loop);

// Asks once for all threads whether a value that the host gives them was set (ir::asksOfHost), as an i1.
llvm::Value* askedOfHost(llvm::IRBuilder<>& builder, const llvm::CallInst& ask, llvm::Value* launch);

} // namespace bsgp::target
