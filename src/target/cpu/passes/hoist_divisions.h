// Moves divisions of loop-invariant values out of loops, in front of the vectorizer.
#pragma once

#include <llvm/IR/PassManager.h>

namespace bsgp::target {

class HoistDivisionsPass : public llvm::PassInfoMixin<HoistDivisionsPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

} // namespace bsgp::target
