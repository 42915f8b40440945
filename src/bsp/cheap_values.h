// Which values are computed again sooner than stored and loaded.
#pragma once

#include <llvm/ADT/STLFunctionalExtras.h>
#include <llvm/IR/Instruction.h>

namespace bsgp::bsp {

// Does a little arithmetic make the value of others that are known? It takes less time than storing and loading would.
bool isCheap(const llvm::Instruction& value, llvm::function_ref<bool(const llvm::Instruction&)> known);

} // namespace bsgp::bsp
