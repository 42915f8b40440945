// Scalar variables as SSA values.
#pragma once

#include <llvm/IR/PassManager.h>

namespace bsgp::bsp {

// Promotes the scalar variables that are used in several blocks, as those of expanded collectives are. LLVM's own
// promotion visits, for each variable, all that its definitions dominate: behind a spawn's first superstep most of the
// spawn. This one finds the frontiers of all blocks once, and values in one walk. Variables of a single block are left to
// LLVM's, and so are those with an access that is never reached.
class PromoteLocalsPass : public llvm::PassInfoMixin<PromoteLocalsPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

} // namespace bsgp::bsp
