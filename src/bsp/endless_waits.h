// Warns of loops in which threads would wait for ever: for a value that no thread writes, or only a later thread, or
// for a lock whose holder itself waits for the others.
//
// Threads run in the order of their ranks, and a later one may begin only when an earlier one has ended. So an earlier
// thread, or one that holds a lock, may be waited for.
#pragma once

#include "diag/diagnostics.h"
#include "ir/spawns.h"
#include "ir/supersteps.h"

namespace bsgp::bsp {

// Reports, and takes the places of atomic operations (ir::markPlace) out of the function.
void reportEndlessWaits(const ir::Spawn& spawn, const ir::Supersteps& steps, Diagnostics& diagnostics);

} // namespace bsgp::bsp
