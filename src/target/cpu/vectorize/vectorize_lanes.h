// Runs several threads at once: a loop over threads becomes one over vectors of lanes, whatever the control flow of a
// thread is. After "Whole-Function Vectorization" (Karrenberg and Hack, CGO 2011), partial linearization (Moll and
// Hack, PLDI 2018) and Parsimony (Kandiah et al., CGO 2023).
//
//   lane_loop      which loops those are              lane_flow     the order in which lanes go through the blocks
//   divergence     where lanes diverge, reconverge    lane_body     the code: edges, masks, values, instructions,
//   lane_shapes    uniform, linear, varying values                  memory, and what runs one by one
//   private_arrays memory of one thread               lane_plan     whether it pays (lane_costs), and in which form
//   lane_choices   addresses that lanes choose
//
// Words. An *iteration* of the loop is one thread before, `width` of them after. A *lane* is the place of a thread in
// the vector. Lanes *diverge* at a branch of which they take different edges, and *reconverge* where their paths
// join; a *mask* has the bits of the lanes that run. A value is *uniform* (the same in all lanes), *linear* (it grows
// by a constant from lane to lane) or *varying*. A *row* is a run of ranks with one quotient, if a program computes
// thread.rank / n (LaneShapes); in gather_rows.h it is the neighbouring elements that one lane reads.
//
// Requires: threads of one superstep do not depend on each other, as that would be a race. Ensures: each value that a
// thread computes has the bits that it has when threads run one by one.
#pragma once

#include <functional>
#include <string>

#include <llvm/IR/PassManager.h>

#include "ir/position.h"
#include "target/cpu/cpu_target.h"

namespace bsgp::target {

// Which loops over threads to take.
enum class Take {
  WhatLlvmCannot, // before LLVM's loop vectorizer: those with loops or calls inside, where that pays
  WhatLlvmLeft,   // after it: those that it has left alone, where that pays
  All,            // the user has chosen a width: all, in place of LLVM's
};

struct VectorizeOptions {
  unsigned width = 0; // lanes; 0: what the machine's registers hold of 32 bits; 1: do nothing
  Take take = Take::All;
  std::function<void(ir::Position, const std::string&)> remark; // may be empty
  // Little code: no copies of it for rows, none side by side, and of larger loops none for whole vectors.
  bool brief = false;
  Wavefronts wavefronts = Wavefronts::Off; // the loops for which the kernel gets another form
};

class VectorizeLanesPass : public llvm::PassInfoMixin<VectorizeLanesPass> {
public:
  explicit VectorizeLanesPass(VectorizeOptions options) : options_(std::move(options)) {}
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
  static llvm::StringRef name() { return "bsgp::target::VectorizeLanesPass"; }

private:
  VectorizeOptions options_;
};

} // namespace bsgp::target
