// Makes stores of the calls by which threads append values (ir::Op::Append, AppendTake).
#pragma once

#include <llvm/IR/Module.h>
#include <llvm/Target/TargetMachine.h>

namespace bsgp::target {

// Requires: kernels are functions of ranks, and the vectorizers have run. Ensures: no such call is left.
void packValues(llvm::Module& module, const llvm::TargetMachine& machine);

} // namespace bsgp::target
