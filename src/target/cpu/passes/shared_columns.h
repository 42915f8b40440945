// Shared arrays of structures become an array for each field: lanes side by side then read and write whole vectors.
#pragma once

#include <llvm/IR/PassManager.h>

namespace bsgp::target {

class SharedColumnsPass : public llvm::PassInfoMixin<SharedColumnsPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
  static llvm::StringRef name() { return "bsgp::target::SharedColumnsPass"; }
};

} // namespace bsgp::target
