// Trees of operations on the lanes of one vector.
#pragma once

#include <llvm/IR/PassManager.h>

namespace bsgp::target {

// min(min(v[0], v[1]), min(v[2], v[3])) by operations on the whole vector, a level at a time.
class LaneTreesPass : public llvm::PassInfoMixin<LaneTreesPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
  static llvm::StringRef name() { return "bsgp::target::LaneTreesPass"; }
};

} // namespace bsgp::target
