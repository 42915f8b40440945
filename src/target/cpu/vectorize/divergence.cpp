#include "target/cpu/vectorize/divergence.h"

#include <llvm/Analysis/LoopIterator.h>
#include <llvm/IR/CFG.h>

#include <set>

namespace bsgp::target {

using namespace llvm;

Divergence::Divergence(const LaneLoop& lanes, LoopInfo& loops) : lanes_(lanes), loops_(loops) {
  LoopBlocksRPO order(lanes.loop);
  order.perform(&loops);
  for (BasicBlock* block : order) {
    number_[block] = order_.size();
    order_.push_back(block);
  }
}

bool Divergence::part(BasicBlock* block) {
  if (!parting_.insert(block).second)
    return false;
  SmallVector<BasicBlock*, 2> sides(successors(block));
  spread(sides, loops_.getLoopFor(block));
  return true;
}

// The labels of one parting, each the block where it began.
struct Divergence::Labels {
  DenseMap<BasicBlock*, BasicBlock*> of;
  std::set<unsigned> pending; // in order
  SmallPtrSet<BasicBlock*, 4> ends;
};

// Lanes of `loop` (the innermost around them) stand at `sides`.
void Divergence::spread(ArrayRef<BasicBlock*> sides, Loop* loop) {
  Labels labels;
  bool leaves = false;
  auto arrive = [&](BasicBlock* at, BasicBlock* label) {
    if (!loop->contains(at) || at == loop->getHeader()) {
      leaves |= !loop->contains(at);
      labels.ends.insert(label);
      return;
    }
    auto [known, first] = labels.of.try_emplace(at, label);
    if (!first && known->second == label)
      return;
    if (!first) {
      meetings_.insert(at);
      if (known->second == at)
        return;
      known->second = at;
    }
    labels.pending.insert(number_.lookup(at));
  };
  for (BasicBlock* side : sides)
    arrive(side, side);
  // Lanes that have all come to one block go on together.
  while (labels.pending.size() > 1 || (!labels.pending.empty() && !labels.ends.empty())) {
    BasicBlock* block = order_[*labels.pending.begin()];
    labels.pending.erase(labels.pending.begin());
    BasicBlock* label = labels.of.lookup(block);
    for (BasicBlock* next : successors(block))
      arrive(next, label);
  }
  if (leaves && labels.ends.size() > 1)
    diverge(loop);
}

void Divergence::diverge(Loop* loop) {
  if (loop == lanes_.loop || !divergent_.insert(loop).second)
    return;
  SmallVector<BasicBlock*, 4> exits;
  loop->getUniqueExitBlocks(exits);
  meetings_.insert(exits.begin(), exits.end());
  spread(exits, loop->getParentLoop());
}

} // namespace bsgp::target
