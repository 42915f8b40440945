// Accesses of many lanes that the machine has no instruction for: each lane makes one of its own.
#pragma once

#include <cstdlib>

#include <llvm/ADT/STLFunctionalExtras.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/Instructions.h>

namespace bsgp::target {

// Accesses of single lanes that a loop may have. Registers are chosen for all of them at once, in time that grows faster
// than their number: 3600 took four seconds where the loop as it was takes a tenth of one.
inline constexpr unsigned kMostPieces = 1024;

inline int64_t sizeOfAccess(const llvm::Instruction& access) {
  llvm::Type* type = llvm::getLoadStoreType(const_cast<llvm::Instruction*>(&access));
  return static_cast<int64_t>(access.getDataLayout().getTypeStoreSize(type).getFixedValue());
}

inline constexpr int64_t kMostJoined = 8; // elements from lane to lane that one vector with gaps may have

// Is a load or store whose address moves by `stride` bytes from lane to lane taken apart? No machine gathers narrow
// elements, and few of them can be loaded or stored as one vector with gaps.
inline bool isTakenApart(const llvm::Instruction& access, int64_t stride) {
  int64_t size = sizeOfAccess(access);
  return size < 4 && std::abs(stride) > kMostJoined * size;
}

// How many stores of the block would be taken apart, and write the field right behind or before the one that was stored last?
// Threads one by one pay at most one instruction for each, lanes two.
// stride: the bytes by which the address of a store moves from lane to lane; 0: unknown.
unsigned fieldsInARow(const llvm::BasicBlock& block, llvm::function_ref<int64_t(const llvm::StoreInst&)> stride);

} // namespace bsgp::target
