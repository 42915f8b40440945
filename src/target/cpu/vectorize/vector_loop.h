// The loops around a body for lanes: whole vectors, and what is left for the last one.
#pragma once

#include "target/cpu/vectorize/lane_body.h"

namespace bsgp::target {

// In place of the loop over threads, which is deleted. Variables of the bodies become registers. `in_rows` may be null:
// the program for whole vectors that do not meet the end of a row (LaneShapes::rows).
void replaceLoop(LaneProgram& program, LaneProgram* in_rows, llvm::ScalarEvolution& evolution);

} // namespace bsgp::target
