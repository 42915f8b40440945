// Runs several threads at once: each loop over threads whose turns are more than a run of instructions becomes one over
// vectors of lanes, whatever the control flow of a thread is. After "Whole-Function Vectorization" (Karrenberg and
// Hack, CGO 2011), partial linearization (Moll and Hack, PLDI 2018) and Parsimony (Kandiah et al., CGO 2023).
//
//   lane_loop      which loops those are              lane_flow     the order in which lanes go through the blocks
//   divergence     where lanes part and meet          lane_body     the code: edges, masks, values, instructions,
//   lane_shapes    uniform, linear, varying values                  memory, what is left to be done one by one
//   private_arrays memory of one thread
//
// Ensures: each value a thread computes has the bits that it has
// when threads run one by one. Threads of one superstep do not depend on each other (design: that would be a race).
#pragma once

#include <functional>
#include <string>

#include <llvm/IR/PassManager.h>

#include "irgen/contract.h"

namespace bsgp::target {

// Which loops over threads to take.
enum class Lanes {
  Involved, // with loops inside or calls, which LLVM's loop vectorizer does not take, where that pays
  Left,     // of the others what it has left alone, where that pays
  All,
};

struct VectorizeOptions {
  unsigned width = 0; // lanes; 0: what the machine's registers hold of 32 bits; 1: do nothing
  Lanes which = Lanes::All;
  std::function<void(ir::Position, const std::string&)> remark; // may be empty
  // Little code: no copies of it for rows, none side by side, and of larger loops none for whole vectors.
  bool brief = false;
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
