// Tells the loop vectorizer that the threads of a superstep do not depend on each other.
#pragma once

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/PassManager.h>

#include "target/common/attributes.h"

namespace bsgp::target {

// The loops over threads of a kernel's function that no vectorizer has taken. As a rule these are its outermost loops:
// the rank loop, and what other passes split from it. Of a kernel that runs block by block the outermost loops run
// blocks; loops over threads are then those inside that kLanes marks.
llvm::SmallVector<llvm::Loop*, 8> loopsOverThreads(const llvm::Function& function, llvm::LoopInfo& loops);

// The properties of a loop over threads of a kernel that runs block by block; with one more, if it is named. LLVM must
// not unroll it: a short loop that is unrolled before the vectorizer sees it stays scalar code.
llvm::MDNode* loopOverThreads(llvm::LLVMContext& context, const char* property = nullptr);

class ParallelAccessesPass : public llvm::PassInfoMixin<ParallelAccessesPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

} // namespace bsgp::target
