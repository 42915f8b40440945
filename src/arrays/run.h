// Runs a kernel over blocks of places: each instruction for a block after the other by a precompiled loop, in memory that stays in cache;
// or where it pays, arithmetic by compiled code that has its values in registers. Both give the same bits.
#pragma once

#include "arrays/compiled/cache.h"
#include "arrays/kernel.h"
#include "runtime/cpu/pool.h"

namespace bsgp::arrays {

inline constexpr int64_t kBlock = 1024; // places

// Gives the kernel's output nodes their values. All that it loads is computed. Fails where there is no memory, or an index of a gather
// is outside; no node is changed then.
Result<void> run(const Kernel& kernel, runtime::Pool& pool, Compile compile);

} // namespace bsgp::arrays
