// Shared arrays of a block kernel in vector registers.
#pragma once

#include <llvm/IR/PassManager.h>

namespace bsgp::target {

// Unrolls the loops over lanes that touch a shared array at places known at compile time, and lets vectors take the
// array's place.
class SharedRegistersPass : public llvm::PassInfoMixin<SharedRegistersPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

} // namespace bsgp::target
