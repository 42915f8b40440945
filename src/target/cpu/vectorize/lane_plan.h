// Plans how the threads of a loop run together. All loops of a function are planned before the first one is written:
// LLVM's analyses of a function end with the first change of its blocks, and take long to compute again.
#pragma once

#include <memory>

#include <llvm/Analysis/TargetTransformInfo.h>

#include "ir/waiting_loops.h"
#include "target/cpu/vectorize/lane_flow.h"
#include "target/cpu/vectorize/vectorize_lanes.h"

namespace bsgp::target {

// The analyses that the code for lanes is written from.
struct LaneAnalysis {
  LaneAnalysis(const LaneLoop& lanes, llvm::LoopInfo& loops, const PrivateArrays& arrays, unsigned width, Assume assume)
      : divergence(lanes, loops), shapes(lanes, divergence, arrays, width, assume), flow(lanes, shapes, arrays) {}

  Divergence divergence;
  LaneShapes shapes;
  LaneFlow flow;
};

struct LanePlan {
  explicit LanePlan(LaneLoop loop) : lanes(std::move(loop)), arrays(lanes) {}
  LanePlan(const LanePlan&) = delete; // its parts refer to each other

  LaneAnalysis& best() const { return in_rows ? *in_rows : *general; }

  const LaneLoop lanes;
  PrivateArrays arrays;
  unsigned width = 0;
  std::unique_ptr<LaneAnalysis> general;
  // The analyses of copies for vectors that lie in one row: inside of it, or in it and at a border. Null: there is no
  // such copy.
  std::unique_ptr<LaneAnalysis> in_rows, at_border;
  double cost = 0; // of an iteration, as `best` says
};

// Chooses width and copies: `register_width` lanes, or several times as many side by side.
void chooseForm(LanePlan& plan, llvm::LoopInfo& loops, unsigned register_width,
                const llvm::TargetTransformInfo& machine, const VectorizeOptions& options);
// Takes the form without assumptions, for the width of the plan.
void takeGeneral(LanePlan& plan, llvm::LoopInfo& loops);
// Returns why threads had better run one by one; empty if lanes are better.
std::string reasonAgainst(const LanePlan& plan, const llvm::TargetTransformInfo& machine,
                          const VectorizeOptions& options);

// A place where lanes wait for each other. The data alone decides how long they do, so a kernel with such a place has
// two forms.
struct LaneWait {
  ir::Position at;
  const char* why;
};
llvm::SmallVector<LaneWait, 4> findWaits(const LanePlan& plan);

// Finds a loop in which lanes might wait for ever: for a lane of the same vector that stores only behind the loop,
// where it waits for the others. Threads that run one by one come to its end. Nullopt: there is none.
std::optional<ir::Position> findEndlessWait(const LaneLoop& lanes, const llvm::LoopInfo& loops,
                                            ir::DominatorTrees trees);

} // namespace bsgp::target
