// In a function of many branches, EarlyCSE and GVN look at each use of a condition for each branch on it: work that grows with
// the square of the number of branches where they test the same, as the steps of many scans do.
//
//   br i1 %c, ...    =>    %t = call i1 @bsgp.test(i1 %c, i32 7)
//                          br i1 %t, ...
//
// HideTestsPass makes each condition of such a function one of its own, and ShowTestsPass takes that back. Between them nothing
// is concluded from a branch.
#pragma once

#include <llvm/IR/PassManager.h>

namespace bsgp::bsp {

struct HideTestsPass : llvm::PassInfoMixin<HideTestsPass> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

struct ShowTestsPass : llvm::PassInfoMixin<ShowTestsPass> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

} // namespace bsgp::bsp
