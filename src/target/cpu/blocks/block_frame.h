// The function that runs the blocks of a block kernel, and the state that the loops over the lanes of its regions
// share.
#pragma once

#include "target/cpu/blocks/block_crossing.h"
#include "target/cpu/ranks/rank_loop.h"

namespace bsgp::target {

// The analyses of a thread function that its regions are made from.
struct BlockKernel {
  llvm::Function* thread = nullptr;
  uint32_t block = 0; // threads in a full one
  bool reference = false;
  const BlockTerms* terms = nullptr;
  const Regions* regions = nullptr;
  const UniformValues* uniform = nullptr;
};

// The function `.ranks` as far as regions need to know it.
struct BlockFrame {
  llvm::Function* function = nullptr;
  llvm::BasicBlock* entry = nullptr;     // allocas stand here
  llvm::BasicBlock* block_end = nullptr; // a branch to it ends the block
  llvm::Value* begin = nullptr;          // the block's first rank
  llvm::Value* count = nullptr;          // its threads
  llvm::Value* id = nullptr;
  llvm::DenseMap<const llvm::BasicBlock*, llvm::BasicBlock*> starts;    // of regions, by leader: run once for the block
  llvm::DenseMap<const llvm::Instruction*, llvm::AllocaInst*> uniforms; // uniform phis and loads: one place each
  llvm::DenseMap<const llvm::AllocaInst*, llvm::AllocaInst*> storage;   // of the thread's allocas
  llvm::DenseSet<const llvm::AllocaInst*> per_lane;                     // those whose storage is an array of lanes

  llvm::IntegerType* rankType() const { return llvm::cast<llvm::IntegerType>(begin->getType()); }
};

// Uniform values as a region sees them: computed once for the block, at the end of the region's start block.
class RegionValues {
public:
  RegionValues(const BlockKernel& kernel, const BlockFrame& frame, const Region& region)
      : kernel_(kernel), frame_(frame), region_(region), start_(frame.starts.lookup(region.leader())) {}

  llvm::Value* uniform(llvm::Value* value);
  void load(); // the uniform values that this region loads, for itself and the others
  llvm::BasicBlock* start() const { return start_; }

private:
  llvm::Value* make(llvm::Instruction& instruction);
  llvm::Value* copy(llvm::Instruction& instruction);

  const BlockKernel& kernel_;
  const BlockFrame& frame_;
  const Region& region_;
  llvm::BasicBlock* start_;
  llvm::DenseMap<const llvm::Instruction*, llvm::Value*> known_;
};

// How the lanes leave a region and where the block goes on.
class RegionExit {
public:
  RegionExit(const BlockKernel& kernel, const BlockFrame& frame, const Region& region, RegionValues& values);

  // True if several regions may come next, and no uniform value tells which: the lanes have to run, and each notes
  // the edge that it took (`way_`). All take the same edge; that they do is what makes the next region a region.
  bool lanesChoose() const { return lanes_choose_; }
  // Places the copy of a terminator: an edge that led out of the region ends its lane instead. False if the copy was
  // replaced.
  bool place(const llvm::Instruction& original, llvm::Instruction& copy, llvm::BasicBlock& lane_end);
  // Goes on from the end of `block`, which all lanes have passed.
  void branchToNext(llvm::BasicBlock& block);

private:
  void createWay();
  llvm::BasicBlock* wayTo(const llvm::BasicBlock* leader, llvm::BasicBlock& lane_end);
  unsigned numberOf(const llvm::BasicBlock* leader) const;
  void setPhis(llvm::IRBuilder<>& builder);
  void branch(llvm::IRBuilder<>& builder);
  void branchAsUniformValueSays(llvm::IRBuilder<>& builder);
  void branchAsLanesChose(llvm::IRBuilder<>& builder);

  const BlockKernel& kernel_;
  const BlockFrame& frame_;
  const Region& region_;
  RegionValues& values_;
  bool lanes_choose_;
  llvm::AllocaInst* way_ = nullptr;         // number of the edge that the lanes took; 0: all have ended
  llvm::MDNode* loop_properties_ = nullptr; // of a loop around syncs that this region closes
};

// Runs region number `number` for all lanes, from its start to that of the region that comes next.
void emitRegion(const BlockKernel& kernel, BlockFrame& frame, unsigned number);

} // namespace bsgp::target
