// Shared memory of checked kernels: a region of a block kernel whose accesses of it are lines of the lane exists twice.
//
//   ask:     reaches[i] = base, address in the first lane, address in the last, is it a line in between
//            br bsgp_rt_check_lanes(launch, first rank, lanes, rows, reaches), proven, watched
//   watched: the loop over lanes
//   proven:  the same without the checks of these accesses
//
// Lines that only some of the lanes reach are proven if no access of shared memory may follow before the next
// block.sync: then nothing is compared with them.
#pragma once

#include "target/cpu/blocks/block_frame.h"
#include "target/cpu/blocks/lane_range.h"

namespace bsgp::bsp {
class RegionCopy;
}

namespace bsgp::target {

// Returns the operation that reports the block.sync in front of the region, which all threads have passed. Null:
// there is none.
llvm::Instruction* passedSync(const Region& region);
// Moves these operations from before their block.sync behind it.
void noteSyncsBehind(llvm::Function& thread);

// Writes out the loops that are unrolled in any case, in kernels with such accesses, so that the accesses are lines.
void writeOutLoops(llvm::Function& thread);

class LaneChecks {
public:
  // `guard`: selects the lanes that come to the region; null: all.
  LaneChecks(const BlockKernel& kernel, BlockFrame& frame, const Region& region, const LaneGuard* guard);
  bool mayBeShown() const { return !accesses_.empty(); }

  // Computes the lines at the builder's place, for the lanes from `first` (with the rank `first_rank`) to below
  // `end`. False if some are not lines.
  bool findLines(llvm::IRBuilder<>& builder, RegionValues& values, llvm::Value* first, llvm::Value* end,
                 llvm::Value* first_rank);
  // Takes the checks out of a copy of the region's blocks. False if it needs them.
  bool drop(const bsp::RegionCopy& copy, llvm::ArrayRef<llvm::BasicBlock*> blocks);
  // Asks the runtime whether all is proven, as an i1.
  llvm::Value* ask(llvm::IRBuilder<>& builder);

private:
  struct Access {
    llvm::CallInst* check;
    llvm::GlobalVariable* base;
    uint64_t uses;
    llvm::SmallVector<llvm::CallInst*, 2> asks, sets;
    std::optional<LaneTest> test = {}; // holds for all lanes that do it
    llvm::Value *first = nullptr, *last = nullptr, *is_line = nullptr;
  };
  bool findAccesses(const llvm::BasicBlock* begin);
  bool add(llvm::CallInst& check, const llvm::BasicBlock* begin);
  bool knowsAll() const;
  void narrow(Access& access) const;
  llvm::Value* isLine(llvm::IRBuilder<>& builder, RegionValues& values, const Access& access, llvm::Value* exact) const;
  bool isAlways(const llvm::BasicBlock* block, const llvm::BasicBlock* begin) const;
  bool mayFollow() const;
  llvm::Constant* rows(llvm::IRBuilder<>& builder) const;

  const BlockKernel& kernel_;
  BlockFrame& frame_;
  const Region& region_;
  std::vector<Access> accesses_;
  llvm::Value *first_ = nullptr, *end_ = nullptr; // lanes, i64
  llvm::Value *first_rank_ = nullptr, *count_ = nullptr;
};

} // namespace bsgp::target
