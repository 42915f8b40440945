// Loops over lanes around shared arrays, unrolled.
#pragma once

#include <optional>

#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/PassManager.h>

namespace bsgp::target {

// The arrays of a block: shared ones, and those with a part for each lane.
llvm::SmallVector<llvm::AllocaInst*, 8> sharedArrays(llvm::Function& function);

// The loads and stores of the array; nullopt: it is used for something else.
std::optional<llvm::SmallVector<llvm::Instruction*, 32>> accessesOf(llvm::AllocaInst& array);

// Unrolls the loops over lanes that access a shared array at places known at compile time, where that makes one block
// of all that accesses it. Returns these arrays; none: nothing was changed.
llvm::SmallVector<llvm::AllocaInst*, 8> unrollAroundSharedArrays(llvm::Function& function,
                                                                 llvm::FunctionAnalysisManager& analyses);

} // namespace bsgp::target
