// In a loop that searches,
//
//   if (f == 1) break;
//   if (f == 0) x = 3;
//
// the second `if` becomes x = f == 0 ? 3 : x. Left alone, SimplifyCFG makes one switch of the two comparisons, whose
// second branch processors guess wrong where the data is irregular.
#pragma once

#include <llvm/IR/PassManager.h>

namespace bsgp::bsp {

struct SearchChoicesPass : llvm::PassInfoMixin<SearchChoicesPass> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

} // namespace bsgp::bsp
