// What kernels leave behind when they have been lowered.
#pragma once

#include <llvm/IR/Module.h>

namespace bsgp::target {

// Shared variables; nothing may use them any more.
void dropSharedMemory(llvm::Module& module);

} // namespace bsgp::target
