// Unrolls the loops of a kernel with many loops a few at a time. When LLVM has unrolled a loop it looks at all code that follows
// (the levels of the dominator tree), at all that comes before (what is known of the loop's values) and at all loops in the
// loop around it: in one function that is the whole kernel, for each loop.
#pragma once

#include <llvm/IR/PassManager.h>
#include <llvm/Target/TargetMachine.h>

namespace bsgp::target {

// Loops whose trip count is a small constant become straight code, as in LLVM's loop-unroll-full, and what the program asks
// for is done. The pieces are functions for that time only.
class UnrollInPiecesPass : public llvm::PassInfoMixin<UnrollInPiecesPass> {
public:
  explicit UnrollInPiecesPass(llvm::TargetMachine& machine) : machine_(machine) {}
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);

private:
  llvm::TargetMachine& machine_;
};

} // namespace bsgp::target
