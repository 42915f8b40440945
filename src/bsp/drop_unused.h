// Removes computations whose values nobody uses, circles of them too. Leaves control flow alone.
#pragma once

#include <llvm/IR/PassManager.h>

namespace bsgp::bsp {

struct DropUnusedPass : llvm::PassInfoMixin<DropUnusedPass> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

} // namespace bsgp::bsp
