// The functions of the contract that reach a target: rank, assert, print.
#pragma once

#include "target/cpu/rank_loop.h"

namespace bsgp::target {

enum class AssertMode {
  Call,  // a failing thread reports at once
  Defer, // where it helps vectorization, failures are reported after the loop
};

void lowerDeviceCalls(RankLoop& loop, AssertMode mode);

} // namespace bsgp::target
