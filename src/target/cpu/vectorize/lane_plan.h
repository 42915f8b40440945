// How the threads of a loop are to run together. All loops of a function are planned before the first one is written:
// what LLVM knows of a function ends with the first change of its blocks, and takes as long as the function to find out.
#pragma once

#include <memory>

#include <llvm/Analysis/TargetTransformInfo.h>

#include "ir/waiting_loops.h"
#include "target/cpu/vectorize/lane_flow.h"
#include "target/cpu/vectorize/vectorize_lanes.h"

namespace bsgp::target {

// What the code for lanes follows from.
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
  // Of copies for vectors that lie in one row: inside of it, or in it and at a border. Null: there is none.
  std::unique_ptr<LaneAnalysis> in_rows, at_border;
  double cost = 0; // of a turn, as `best` says
};

// Chooses width and copies: `register_width` lanes, or several times as many side by side.
void chooseForm(LanePlan& plan, llvm::LoopInfo& loops, unsigned register_width,
                const llvm::TargetTransformInfo& machine, const VectorizeOptions& options);
// Why threads had better run one by one; empty: they had not.
std::string reasonAgainst(const LanePlan& plan, const llvm::TargetTransformInfo& machine,
                          const VectorizeOptions& options);

// A place where lanes wait for each other. How long they do is known from the data alone, so a kernel with one has two
// forms.
struct LaneWait {
  ir::Position at;
  const char* why;
};
llvm::SmallVector<LaneWait, 4> findWaits(const LanePlan& plan);

// A loop in which lanes might wait for ever: until a lane of the same vector has stored what it stores once it is out of
// that loop, where it waits for the others. One by one such threads come to an end. Nullopt: there is none.
std::optional<ir::Position> findEndlessWait(const LaneLoop& lanes, const llvm::LoopInfo& loops,
                                            ir::DominatorTrees trees);

} // namespace bsgp::target
