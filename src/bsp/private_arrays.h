// Finds where the contents of a thread's own memory (allocas that SROA could not turn into values) cross barriers.
#pragma once

#include <vector>

#include <llvm/ADT/BitVector.h>

#include "ir/supersteps.h"

namespace bsgp::bsp {

struct PrivateArray {
  llvm::AllocaInst* alloca = nullptr;
  uint64_t bytes = 0;
  // By superstep number.
  llvm::BitVector touched;  // reads or writes it
  llvm::BitVector modified; // may write it
  llvm::BitVector early;    // touched before oldrank is set
  llvm::BitVector needed;   // its contents at the beginning of the superstep may be read
  llvm::BitVector crosses;  // its contents at the end of the superstep may be read later
  bool crossesAny() const { return crosses.any(); }
};

// A pointer into a private array that leaves it: stored, where it may outlive the superstep.
struct StoredPointer {
  const llvm::AllocaInst* array = nullptr;
  const llvm::Value* into = nullptr; // an alloca, or other memory
  unsigned step = 0;
};

struct PrivateMemory {
  std::vector<PrivateArray> arrays; // in order of the function
  std::vector<StoredPointer> stored;
};

// Needs blocks that belong to one superstep each.
PrivateMemory findPrivateArrays(const ir::Supersteps& steps);

} // namespace bsgp::bsp
