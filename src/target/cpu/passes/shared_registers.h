// Shared arrays of a block kernel in vector registers.
#pragma once

#include <llvm/IR/PassManager.h>

namespace bsgp::target {

// Unrolls the loops over lanes that access a shared array at places known at compile time. Then the array is vectors in
// registers, and what one lane reads of another is a shuffle.
class SharedRegistersPass : public llvm::PassInfoMixin<SharedRegistersPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

} // namespace bsgp::target
