// Tells the loop vectorizer that the threads of a superstep do not depend on each other.
#pragma once

#include <llvm/IR/PassManager.h>

namespace bsgp::target {

class ParallelAccessesPass : public llvm::PassInfoMixin<ParallelAccessesPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

} // namespace bsgp::target
