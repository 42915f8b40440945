// Products of half and sums, rounded once.
#pragma once

#include <llvm/IR/Module.h>

namespace bsgp::target {

// LLVM makes llvm.fma.f16 of a fused float operation and a conversion, which rounds twice: if the float lies between
// two halves, the bit that decides which is nearer is lost. Replaces each by operations that keep it.
void roundHalfFmaOnce(llvm::Module& module);

} // namespace bsgp::target
