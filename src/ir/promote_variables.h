// Scalar variables as SSA values.
#pragma once

#include <vector>

#include <llvm/ADT/ArrayRef.h>

namespace llvm {
class AllocaInst;
class Function;
} // namespace llvm

namespace bsgp::ir {

// Promotes those of the variables that are scalars and used in several blocks; returns the others. LLVM's own promotion visits, for
// each variable, all that its definitions dominate: behind the first of many loops most of the function. This one finds the frontiers
// of all blocks once, and values in one walk. A variable with an access that is never reached is among the others.
std::vector<llvm::AllocaInst*> promoteAcrossBlocks(llvm::Function& function,
                                                   llvm::ArrayRef<llvm::AllocaInst*> variables);

// Promotes all of the variables, which must be promotable, the others by LLVM's own promotion.
void promoteVariables(llvm::Function& function, llvm::ArrayRef<llvm::AllocaInst*> variables);

} // namespace bsgp::ir
