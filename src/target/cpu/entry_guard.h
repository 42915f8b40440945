// What keeps a program from running on a machine that it is not compiled for.
#pragma once

#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/Target/TargetMachine.h>

namespace bsgp::target {

// Before any function of the module runs that is visible outside, the runtime has chosen one of @cpus, a bsgp_cpus;
// else the function returns the status without a word of its own code. `plain`: a machine whose code all can run.
void guardEntries(llvm::Module& module, llvm::GlobalVariable& cpus, const llvm::TargetMachine& plain);

// Ends `from` with what `to`, a function of the same type, returns for its arguments.
void forwardCall(llvm::IRBuilder<>& builder, llvm::Function& from, llvm::Function& to);

} // namespace bsgp::target
