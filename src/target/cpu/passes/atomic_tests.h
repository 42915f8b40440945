// A locked operation costs twenty times a load, keeps what follows it waiting, and takes the place away from all other
// processors. One that would leave the place as it is need not be: it is the load of what is there. So who may be in
// that case looks first (a minimum that is reached, a bit that is set, a place that another thread has taken).
//
//   old = atomic_min(p, v)   =>   old = load p;  if (v < old) old = atomic_min(p, v)
//
// Requires: operations that order nothing but themselves ("Atomics" in docs/language.md); of those that do, only the
// operation itself is known to be in order. Runs when all vectors are made, as it adds branches.
#pragma once

#include <llvm/IR/PassManager.h>

namespace bsgp::target {

class AtomicTestsPass : public llvm::PassInfoMixin<AtomicTestsPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
  static llvm::StringRef name() { return "bsgp::target::AtomicTestsPass"; }
};

} // namespace bsgp::target
