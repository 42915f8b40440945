#pragma once

#include "bsp/crossing.h"

namespace bsgp::bsp {

// Finds the times in which each copy holds a value that is still to be read, from its beginning and its reads.
void findLives(const ir::Supersteps& steps, Crossing& crossing);

// True if a copy that has memory at the end of the edge's first superstep is unchanged in the second.
bool livesOn(const Crossing& crossing, const StoredCopy& copy, Way way);

} // namespace bsgp::bsp
