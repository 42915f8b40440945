// Memory that the threads of a block share: globals of the shared space become allocas of the function that runs the
// block.
#pragma once

#include <llvm/IR/Function.h>

namespace bsgp::target {

bool usesSharedMemory(const llvm::Instruction& instruction);

// Makes allocas of the shared memory that `function` uses; its entry runs once for many blocks. `poisoned_in`: a
// block of code that runs once for each block of threads. There the memory is filled with a pattern, so that reads of
// undefined values show in a program; null: nothing is filled.
void placeSharedMemory(llvm::Function& function, llvm::BasicBlock* poisoned_in);

// Arrays of a block that are too large for a stack move to the heap: taken at the beginning of a kernel's function, and
// given back in `exit`, where it returns. Where there is no memory for them, the launch fails and no thread runs.
void moveLargeArraysToHeap(llvm::Function& kernel, llvm::BasicBlock& exit);

} // namespace bsgp::target
