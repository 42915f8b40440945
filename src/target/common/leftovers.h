// Removes from the module what lowered kernels no longer need.
#pragma once

#include <llvm/IR/Module.h>

namespace bsgp::target {

// Removes the shared variables; nothing may use them any more.
void dropSharedMemory(llvm::Module& module);

} // namespace bsgp::target
