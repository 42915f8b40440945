// Tells the loop vectorizer that the threads of a superstep do not depend on each other.
#pragma once

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/PassManager.h>

namespace bsgp::target {

// The property of a loop over the lanes of a block, where that is not a kernel's outermost loop; and the metadata of
// allocas whose parts belong to single lanes or that the lanes share as they share device memory.
inline constexpr char kLanes[] = "bsgp.lanes";

// The loops over threads of a kernel's function, scalar ones: its outermost loops are the rank loop and what other
// passes split from it; but of a kernel that runs block by block they run blocks, and the loops over lanes inside say
// that they are that.
llvm::SmallVector<llvm::Loop*, 8> loopsOverThreads(const llvm::Function& function, llvm::LoopInfo& loops);

class ParallelAccessesPass : public llvm::PassInfoMixin<ParallelAccessesPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

} // namespace bsgp::target
