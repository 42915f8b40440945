// The calls of a program that watches itself (plan/check_abi.h).
#pragma once

#include "target/cpu/rank_loop.h"

namespace bsgp::target {

// What the program was made to look for: bits of bsgp_check_kind, which src/check notes for the runtime.
uint64_t checksOf(const llvm::Module& module);

// `check`: one of the operations bsgp.check.* in a thread's body, which the loop runs.
void lowerCheck(llvm::CallInst& check, const RankLoop& loop);

} // namespace bsgp::target
