// Takes tests out of the paths on which their result is known.
//
//   if (x == 0) f();          if (x == 0) f();
//   if (x == 1) g();    =>    else if (x == 1) g();
//   if (x == 2) h();          else if (x == 2) h();
//
// SimplifyCFG makes a switch of the right form. Of the left one it makes a switch behind each of the ifs, each with
// one case less than the one before: code that grows with the square of their number.
#pragma once

#include <llvm/IR/PassManager.h>

namespace bsgp::bsp {

struct DecidedTestsPass : llvm::PassInfoMixin<DecidedTestsPass> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

} // namespace bsgp::bsp
