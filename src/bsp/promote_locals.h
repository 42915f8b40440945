// Scalar variables as SSA values.
#pragma once

#include <llvm/IR/PassManager.h>

namespace bsgp::bsp {

// Promotes the scalar variables that are used in several blocks, as those of expanded collectives are. The others are left to
// LLVM's passes.
class PromoteLocalsPass : public llvm::PassInfoMixin<PromoteLocalsPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

} // namespace bsgp::bsp
