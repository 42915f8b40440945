// Finds the branches at which lanes diverge and the blocks at which they reconverge. After "Divergence Analysis"
// (Coutinho, Sampaio, Pereira, Meira, 2011) and LLVM's sync dependences: labels flow from the two sides of a branch;
// where different ones arrive, lanes reconverge.
#pragma once

#include <llvm/ADT/SetVector.h>

#include "target/cpu/vectorize/lane_loop.h"

namespace bsgp::target {

class Divergence {
public:
  Divergence(const LaneLoop& lanes, llvm::LoopInfo& loops);

  // Lanes diverge at the branch that ends `block`. True if that was not known.
  bool part(llvm::BasicBlock* block);

  bool parts(const llvm::BasicBlock* block) const { return parting_.contains(block); }
  // True if lanes come here over different edges, or after different numbers of iterations: phis choose by lane.
  bool meet(const llvm::BasicBlock* block) const { return meetings_.contains(block); }
  // True if lanes leave it after different numbers of iterations, or over different edges.
  bool isDivergent(const llvm::Loop* loop) const { return divergent_.contains(loop); }
  llvm::ArrayRef<llvm::BasicBlock*> order() const { return order_; }
  llvm::LoopInfo& loops() const { return loops_; }

private:
  struct Labels;
  struct Meeting {
    llvm::BasicBlock* at = nullptr;
    unsigned edges = 0; // edges that lead there from between
  };
  void findMeetings();
  Meeting meetingBehind(llvm::BasicBlock* block) const;
  void spread(llvm::ArrayRef<llvm::BasicBlock*> sides, llvm::Loop* loop);
  void diverge(llvm::Loop* loop);

  const LaneLoop& lanes_;
  llvm::LoopInfo& loops_;
  llvm::SmallVector<llvm::BasicBlock*, 16> order_; // reverse post order of the iteration
  llvm::DenseMap<const llvm::BasicBlock*, unsigned> number_;
  // The block at which all paths from a block reconverge, if no other path leads to the blocks between, and all are
  // in its innermost loop. A label that arrives at the block arrives there, and meets no other one between. It is
  // found when lanes diverge for the first time.
  llvm::DenseMap<const llvm::BasicBlock*, Meeting> meeting_behind_;
  llvm::DenseSet<const llvm::BasicBlock*> parting_, meetings_;
  llvm::DenseSet<const llvm::Loop*> divergent_;
};

} // namespace bsgp::target
