// Variables of one superstep as SSA values.
#pragma once

#include <llvm/IR/PassManager.h>

namespace bsgp::bsp {

// Promotes the scalar variables that are used in several blocks of one superstep, as those of expanded collectives are.
// LLVM's own promotion visits, for each variable, all that its definitions dominate: behind a spawn's first superstep
// most of the spawn. This one visits what lies between definitions and uses. Variables that live across a barrier are
// left to LLVM's.
class PromoteLocalsPass : public llvm::PassInfoMixin<PromoteLocalsPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

} // namespace bsgp::bsp
