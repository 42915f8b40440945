// Writes the loops around a body for lanes: whole vectors, and a last one with the remaining threads.
#pragma once

#include "target/cpu/vectorize/lane_body.h"

namespace bsgp::target {

// The number of threads of a loop, computed before it.
struct ThreadCount {
  llvm::Value* threads = nullptr; // i64
  bool one_vector = false;        // there are never more of them than lanes
};
ThreadCount countThreads(const LaneLoop& lanes, unsigned width, llvm::ScalarEvolution& evolution);

// `in_rows` and `at_border` may be null: they are the programs for whole vectors within one row (Assume).
struct LanePrograms {
  LaneProgram& general;
  LaneProgram *in_rows = nullptr, *at_border = nullptr;
};

// In place of the loop over threads, which is deleted. Adds to `variables` those of the bodies.
void replaceLoop(LanePrograms programs, const ThreadCount& count, llvm::SmallVectorImpl<llvm::AllocaInst*>& variables);

// Variables of bodies become registers.
void promoteVariables(llvm::Function& function, llvm::ArrayRef<llvm::AllocaInst*> variables);

} // namespace bsgp::target
