// Keeps a program from running on a machine that it is not compiled for.
#pragma once

#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/Target/TargetMachine.h>

namespace bsgp::target {

// Guards the functions of the module that are visible outside. Before any of them runs, the runtime has chosen one of
// the CPUs in @cpus, a bsgp_cpus. If none fits, the function returns the status, and none of its own code runs.
// `plain`: a machine whose code all CPUs in question can run; the guards are compiled for it.
void guardEntries(llvm::Module& module, llvm::GlobalVariable& cpus, const llvm::TargetMachine& plain);

// Ends `from` with what `to`, a function of the same type, returns for its arguments.
void forwardCall(llvm::IRBuilder<>& builder, llvm::Function& from, llvm::Function& to);

} // namespace bsgp::target
