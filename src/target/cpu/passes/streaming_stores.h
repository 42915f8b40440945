// Stores past the caches for kernels that write more than the caches hold.
#pragma once

#include <llvm/IR/PassManager.h>

namespace bsgp::target {

// Marks the stores of a vectorized kernel that write memory from one end to the other. Changes no code.
class StreamingStoresPass : public llvm::PassInfoMixin<StreamingStoresPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

// Gives each kernel with such stores a variant in which they go past the caches, which its callers take where a launch
// writes enough.
void addStreamingVariants(llvm::Module& module);

} // namespace bsgp::target
