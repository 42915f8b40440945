// Makes the form of a kernel in which lanes that left a divergent loop take other threads: see segments.h for the cuts,
// place_loop.h for the loop that runs them.
//
// Requires: a copy of the kernel as the vectorizer is about to see it (two_forms.h). Ensures: its regions are loops over
// places, each for VectorizeLanesPass to make one vector of; or there is none, and a copy is marked as dropped.
#pragma once

#include <functional>
#include <string>

#include <llvm/IR/PassManager.h>

#include "ir/position.h"
#include "target/cpu/cpu_target.h"

namespace bsgp::target {

struct WavefrontOptions {
  Wavefronts loops = Wavefronts::Marked; // those that the program names; else all divergent loops
  unsigned width = 0;                    // lanes that were asked for; 0: what the machine's registers hold of 32 bits
  std::function<void(ir::Position, const std::string&)> remark;
};

class WavefrontPass : public llvm::PassInfoMixin<WavefrontPass> {
public:
  explicit WavefrontPass(WavefrontOptions options) : options_(std::move(options)) {}
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
  static llvm::StringRef name() { return "bsgp::target::WavefrontPass"; }

private:
  WavefrontOptions options_;
};

} // namespace bsgp::target
