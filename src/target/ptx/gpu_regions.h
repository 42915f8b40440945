// What the threads of a block do between the syncs that all of them come by.
#pragma once

#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/Instructions.h>

namespace bsgp::target {

struct GpuRegion {
  llvm::SmallVector<llvm::BasicBlock*, 8> blocks; // the first one is its entry
  llvm::CallInst* sync = nullptr;                 // what ends it, before the branch to `next`; null: the last region
  llvm::BasicBlock* next = nullptr;               // where the next one begins, or what the last one leaves to
};

// The regions from `entry` to `exit`, in order, if all threads come by every sync exactly once; else none. Splits
// blocks behind syncs.
llvm::SmallVector<GpuRegion, 8> regionsBetweenSyncs(llvm::BasicBlock& entry, const llvm::BasicBlock& exit);

} // namespace bsgp::target
