// Small private arrays become registers before a thread function is cut into regions: later they would be memory of the
// block, a place for each lane.
#pragma once

#include <llvm/IR/Function.h>

namespace bsgp::target {

// Unrolls the short loops of a function with private arrays, and splits the arrays whose indices are all known then.
void makeArraysRegisters(llvm::Function& thread);

} // namespace bsgp::target
