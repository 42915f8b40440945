// Brings the loads of a structure's fields together, in front of the vectorizer.
#pragma once

#include <llvm/IR/PassManager.h>

namespace bsgp::target {

// If lanes read two neighbouring fields at places that differ, one gather of pairs loads both, but only if both stand
// in one block. LLVM's cleanup tears them apart: it moves each load to the first use of its value.
//
//   a: x = load p.x; if (x > 0) goto b         a: x = load p.x, y = load p.y; if (x > 0) goto b
//   b: y = load p.y                            b:
//
//   a: x = load p.x; goto c                    a: x = load p.x, y1 = load p.y; goto c
//   c: q = phi(p, ...); y = load q.y           c: y = phi(y1, ...)
//
// Loads that are moved may run where they did not: an element of a structure's type is all there.
class FieldLoadsPass : public llvm::PassInfoMixin<FieldLoadsPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
  static llvm::StringRef name() { return "bsgp::target::FieldLoadsPass"; }
};

} // namespace bsgp::target
