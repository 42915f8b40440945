#pragma once

#include "ir/module.h"

namespace bsgp::bsp {

// The stock passes that optimize.cpp lists over each spawn, all its supersteps at once. opt_level 0: SROA alone,
// without which every variable would be an array in memory.
void optimizeSpawns(ir::Compiled& compiled, unsigned opt_level);

} // namespace bsgp::bsp
