// Computes the lanes for which a region does something: `if (block.rank < n) ...` alone runs the lanes below n.
#pragma once

#include <llvm/IR/IRBuilder.h>

#include "target/cpu/blocks/block_uniform.h"

namespace bsgp::target {

// True if the lanes for which the test holds are a range: first, first+1, ... end-1.
bool isRange(const LaneTest& test);

// A region that begins with a branch on the lane, one side of which leads out of the region without any effect.
struct LaneGuard {
  llvm::BranchInst* branch = nullptr;
  LaneTest test;      // holds for the lanes that go on
  unsigned side = 0;  // where they go
  bool exact = false; // all lanes for which it holds go on
};
std::optional<LaneGuard> findLaneGuard(const Region& region, const Regions& regions, const UniformValues& uniform,
                                       const BlockTerms& terms);

// Branches on the lane that could begin a region: they stand alone in their block. Splits blocks in front of them, and
// moves what only the lanes behind them need to there.
llvm::SmallVector<llvm::BranchInst*, 4> isolateLaneBranches(llvm::Function& thread, const BlockTerms& terms);

// first, first+1, ... end-1, in the type of ranks.
struct LaneRange {
  llvm::Value *first, *end;
  bool never_empty = false;
  llvm::Value* only = nullptr; // `first` is the only lane, if this (an i1) holds; null: any number of lanes
};
// Narrows the `count` lanes of a block whose first rank is `begin` to those that pass the test; `bound` is the
// test's, known where the builder stands.
LaneRange lanesThatHold(llvm::IRBuilder<>& builder, const LaneTest& test, llvm::Value* bound, llvm::Value* begin,
                        llvm::Value* count);

} // namespace bsgp::target
