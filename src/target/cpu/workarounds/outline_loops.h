// Divides a function with many loops into functions of a few loops each, right before its code is generated. Registers are
// allocated for a whole function at once, in time that grows with the square of what lives across its loops.
#pragma once

#include <vector>

#include <llvm/IR/Module.h>

namespace bsgp::target {

// Requires: optimized functions. Ensures: each function has few of the loops that no condition surrounds; the pieces are
// internal functions of the module.
//
//   a; loop 1; ... loop 99; b      =>      a; call f.piece; ... call f.piece.5; b
void outlineLoops(llvm::Module& module);
// The same of one function; returns the pieces, which are called once each.
std::vector<llvm::Function*> outlineLoops(llvm::Function& function);

} // namespace bsgp::target
