// Loops tested at the end in place of the beginning, as LLVM's loop-rotate makes them.
#pragma once

#include <llvm/IR/PassManager.h>

namespace bsgp::target {

// LLVM's own pass notifies scalar evolution of each loop it rotates, which then visits all values computed from the
// loop: for n loops one behind the other, n times all the code behind them. This one runs before scalar evolution has
// been used.
class RotateLoopsPass : public llvm::PassInfoMixin<RotateLoopsPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

// Simplified loops, rotated.
void addRotation(llvm::FunctionPassManager& passes);

} // namespace bsgp::target
