// Runs a kernel over blocks of places: each instruction for a block after the other by a precompiled loop, in memory that stays in cache;
// or where it pays, arithmetic by compiled code that has its values in registers. Both give the same bits.
#pragma once

#include "arrays/block.h"
#include "runtime/cpu/pool.h"

namespace bsgp::arrays {

// Sets out a kernel; it is kept by its caller. A later call compiles it where that pays by then.
void makeReady(Prepared& prepared, const Kernel& kernel, Compile compile);
// Gives the kernel's output nodes their values. All that it loads is computed. Fails where there is no memory, or an index of a gather
// is outside; no node is changed then.
Result<void> run(Prepared& prepared, runtime::Pool& pool);

} // namespace bsgp::arrays
