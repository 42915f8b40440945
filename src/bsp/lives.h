#pragma once

#include "bsp/crossing.h"

namespace bsgp::bsp {

// When each copy holds a value that is still to be read, from where it begins and when it is read.
void findLives(const ir::Supersteps& steps, Crossing& crossing);

// Of a copy that has memory at the end of the way's first superstep: is it the same in the other one?
bool livesOn(const Crossing& crossing, const StoredCopy& copy, Way way);

} // namespace bsgp::bsp
