// Masks that are all true or all false.
#pragma once

#include <llvm/IR/PassManager.h>

namespace bsgp::target {

// Puts masked stores whose lanes all ask the same question behind a branch.
class UniformMasksPass : public llvm::PassInfoMixin<UniformMasksPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

} // namespace bsgp::target
