#include "target/cpu/vectorize/divergence.h"

#include <llvm/Analysis/LoopIterator.h>
#include <llvm/IR/CFG.h>

#include <map>
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

// From the last block to the first: a walk steps over what is closed behind it, so that branches in branches cost no
// more than their own sides.
void Divergence::findMeetings() {
  for (BasicBlock* block : reverse(order_))
    if (Meeting meeting = meetingBehind(block); meeting.at)
      meeting_behind_[block] = meeting;
}

Divergence::Meeting Divergence::meetingBehind(BasicBlock* block) const {
  Loop* loop = loops_.getLoopFor(block);
  std::map<unsigned, unsigned> pending; // edges to blocks, in order
  auto reach = [&](BasicBlock* from, BasicBlock* next, unsigned edges) {
    auto number = number_.find(next);
    bool is_inside = number != number_.end() && loops_.getLoopFor(next) == loop && number->second > number_.at(from);
    if (is_inside)
      pending[number->second] += edges;
    return is_inside;
  };
  auto step = [&](BasicBlock* from) {
    if (auto closed = meeting_behind_.find(from); closed != meeting_behind_.end())
      return reach(from, closed->second.at, closed->second.edges);
    return succ_size(from) > 0 && all_of(successors(from), [&](BasicBlock* next) { return reach(from, next, 1); });
  };
  if (!step(block))
    return {};
  while (pending.size() > 1) {
    auto [number, edges] = *pending.begin();
    pending.erase(pending.begin());
    if (edges != pred_size(order_[number]) || !step(order_[number]))
      return {};
  }
  return {order_[pending.begin()->first], pending.begin()->second};
}

bool Divergence::part(BasicBlock* block) {
  if (!parting_.insert(block).second)
    return false;
  if (parting_.size() == 1)
    findMeetings();
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
    if (BasicBlock* meeting = meeting_behind_.lookup(block).at)
      arrive(meeting, label);
    else
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
