// Conversions of floating point numbers to integers, as the language has them: what is too large or too small becomes
// the nearest integer there is, and what is no number 0. x86 has no instruction for that, and LLVM 19 takes vectors of
// them apart; here they become a vector's conversion with the bounds around it.
#pragma once

#include <llvm/IR/PassManager.h>

namespace bsgp::target {

class SaturatingConversionsPass : public llvm::PassInfoMixin<SaturatingConversionsPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
  static llvm::StringRef name() { return "bsgp::target::SaturatingConversionsPass"; }
};

// LLVM 19 makes -32768 of a half that is no number and becomes a short, on an x86 that computes with halves
// (avx512fp16): where the integer is narrower than what the instruction gives, and its bounds are no numbers of the
// float's type, it leaves out the question. Replaces each such conversion by one from float, which holds every half.
void convertHalfToShortByFloat(llvm::Module& module);

} // namespace bsgp::target
