// Removes computations whose values are not used, cycles of them too. Leaves control flow alone.
#pragma once

#include <llvm/IR/PassManager.h>

namespace bsgp::bsp {

struct DropUnusedPass : llvm::PassInfoMixin<DropUnusedPass> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

} // namespace bsgp::bsp
