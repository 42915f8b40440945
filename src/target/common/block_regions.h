// The pieces of a thread function between which all threads of a block wait for each other.
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/DenseSet.h>
#include <llvm/ADT/MapVector.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/Analysis/PostDominators.h>
#include <llvm/IR/Function.h>

namespace bsgp::target {

// Blocks that a thread may run through once it came to the first of them, the leader, until it comes to a leader again.
struct Region {
  llvm::SmallVector<llvm::BasicBlock*, 8> blocks;  // the leader first
  llvm::Instruction* decision = nullptr;           // ends the region: a branch that all threads of the block take alike
  llvm::SmallSetVector<llvm::BasicBlock*, 2> next; // leaders that it leads to; none: the threads end here
  bool loops = false;                              // there is a loop inside

  llvm::BasicBlock* leader() const { return blocks.front(); }
};

// Cuts a thread function at block.sync. All threads of a block come to a leader or none does; every edge to a leader
// cuts. Leaders are the entry, the blocks behind a sync, both sides of the branches that syncs depend on, and the
// blocks at which edges from different regions join. A block at which such edges join for some threads only belongs
// to several regions.
class Regions {
public:
  // Takes the calls of block.sync out and splits critical edges.
  explicit Regions(llvm::Function& thread);

  // Makes these, which all threads come to or none, leaders too.
  void cutAt(llvm::ArrayRef<llvm::BasicBlock*> blocks);
  // Cuts at the branches of these, which all threads of a block take alike, as if a sync depended on them.
  void decideAt(llvm::ArrayRef<llvm::BasicBlock*> branches);

  struct Cuts {
    llvm::SmallPtrSet<llvm::BasicBlock*, 8> deciding; // their branches are taken by all threads of a block alike
    llvm::SetVector<const llvm::BasicBlock*> leaders;
  };
  const Cuts& cuts() const { return cuts_; }
  void restore(Cuts cuts);

  llvm::ArrayRef<Region> all() const { return regions_; }
  bool isLeader(const llvm::BasicBlock* block) const { return cuts_.leaders.contains(block); }
  llvm::ArrayRef<unsigned> of(const llvm::BasicBlock* block) const; // numbers of regions

  // Do all threads of a block that reach `block`'s region come by it or none?
  bool isReachedByAllOrNone(const llvm::BasicBlock* block) const;
  // the block at which all paths from it reconverge; null: none
  llvm::BasicBlock* joinOf(llvm::BasicBlock* block) const;

private:
  void findDependences();
  void findDivided();
  void makeRegions();
  bool addMeetings();
  Region trace(llvm::BasicBlock* leader) const;
  void describe(Region& region) const;
  llvm::SmallPtrSet<llvm::BasicBlock*, 8> branchesThatDecide(llvm::ArrayRef<llvm::BasicBlock*> about);

  llvm::Function& thread_;
  llvm::PostDominatorTree post_dominators_;
  llvm::MapVector<const llvm::BasicBlock*, llvm::SmallSetVector<const llvm::BasicBlock*, 4>> dependent_on_;
  llvm::DenseSet<const llvm::BasicBlock*> divided_; // some threads of a block come here, others may not
  Cuts cuts_;
  llvm::DenseSet<std::pair<const llvm::BasicBlock*, const llvm::BasicBlock*>> back_edges_;
  std::vector<Region> regions_;
  llvm::DenseMap<const llvm::BasicBlock*, llvm::SmallVector<unsigned, 1>> of_block_;
};

} // namespace bsgp::target
