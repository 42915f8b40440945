// What threads append (ir::Op::Append, AppendTake) as stores behind each other.
#pragma once

#include <llvm/IR/Module.h>
#include <llvm/Target/TargetMachine.h>

namespace bsgp::target {

// Of kernels that are functions of ranks, the vectorizers done. No such call is left.
void packValues(llvm::Module& module, const llvm::TargetMachine& machine);

} // namespace bsgp::target
