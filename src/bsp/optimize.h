#pragma once

#include "ir/spawns.h"

namespace bsgp::bsp {

// The stock passes that optimize.cpp lists over each spawn, all its supersteps at once. opt_level 0: SROA alone,
// without which every variable would be an array in memory.
void optimizeSpawns(ir::Spawns& spawns, unsigned opt_level);

} // namespace bsgp::bsp
