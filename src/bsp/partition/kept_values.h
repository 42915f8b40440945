// Finds the values of a thread, and its private arrays, that live from one block of a partition to another. Each lies in a
// stream, at the thread's rank; arrays are used where they lie there. A block loads the values that it uses and another one
// has made, and stores those that it makes and another one uses. Values that a few operations compute of parameters and the
// rank are computed again, and so are casts and addresses.
#pragma once

#include <vector>

#include <llvm/ADT/MapVector.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/IR/Instructions.h>

#include "bsp/partition/regions.h"

namespace bsgp::bsp {

struct StoredAtExit {
  llvm::Instruction* kept = nullptr; // whose stream
  llvm::Value* value = nullptr;      // of the region: the value itself, or what a phi becomes on this way
};

struct KeptValues {
  struct OfRegion {
    llvm::SmallVector<llvm::Instruction*, 8> loaded;     // at its beginning
    llvm::SmallVector<llvm::Instruction*, 8> recomputed; // behind that, in their order
    llvm::SmallSetVector<llvm::Instruction*, 4> places;  // the arrays and the rank (of the whole kernel) that it names
  };
  std::vector<OfRegion> regions;
  std::vector<llvm::SmallVector<StoredAtExit, 8>> exits; // as Regions::exits
  llvm::MapVector<llvm::Instruction*, uint32_t> streams; // of values and arrays, numbered from 0
  bool keeps_struct = false;                             // which no stream has
};

KeptValues findKeptValues(llvm::Function& kernel, const Regions& regions);

} // namespace bsgp::bsp
