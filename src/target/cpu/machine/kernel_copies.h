// A kernel with all the functions it calls, once for each of several machines.
#pragma once

#include <string>
#include <vector>

#include <llvm/IR/Function.h>
#include <llvm/Target/TargetMachine.h>

namespace bsgp::target {

// `root` for each of the machines, in their order: it and what it calls serve the first one, copies the others. The
// names end in the machines'.
std::vector<llvm::Function*> copyKernel(llvm::Function& root, const std::vector<const llvm::TargetMachine*>& machines);

} // namespace bsgp::target
