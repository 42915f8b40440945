// Takes vectors that are several registers wide apart: each operation on the lanes of W registers becomes W operations.
//
// The code generator does so, too, but keeps a mask of all lanes in one register, and each mask of a comparison is then
// put together from pieces, and taken apart again, where it is used.
//
// Requires: VectorizeLanesPass has named the width (kSideBySideAttribute). Ensures: operations on as many lanes, one
// like the other, have as many as a register holds of 32 bits.
#pragma once

#include <llvm/IR/PassManager.h>

namespace bsgp::target {

class SideBySidePass : public llvm::PassInfoMixin<SideBySidePass> {
public:
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
  static llvm::StringRef name() { return "bsgp::target::SideBySidePass"; }
};

} // namespace bsgp::target
