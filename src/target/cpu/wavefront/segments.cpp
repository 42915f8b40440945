#include "target/cpu/wavefront/segments.h"

#include <llvm/Analysis/LoopIterator.h>
#include <llvm/IR/CFG.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

namespace bsgp::target {

using namespace llvm;

namespace {

// The blocks that all threads come to, once each, from the loop's header to its latch.
SmallVector<BasicBlock*, 8> commonBlocks(const LaneLoop& lanes, LoopInfo& loops, DominatorTree& dominators) {
  SmallVector<BasicBlock*, 8> common;
  for (auto* node = dominators.getNode(lanes.latch); node; node = node->getIDom()) {
    if (loops.getLoopFor(node->getBlock()) == lanes.loop)
      common.push_back(node->getBlock());
    if (node->getBlock() == lanes.header)
      break;
  }
  std::reverse(common.begin(), common.end());
  return common;
}

class RegionCut {
public:
  RegionCut(LaneLoop& lanes, LoopInfo& loops, DominatorTree& dominators, IsWavefront is_wavefront)
      : lanes_(lanes), loops_(loops), dominators_(dominators), is_wavefront_(is_wavefront) {}

  std::optional<WavefrontRegion> run(std::string& reason) {
    Loop* first = firstWavefront();
    if (!first)
      return std::nullopt;
    findCuts(*first);
    split();
    findBlocks();
    findStations();
    if (!divide()) {
      reason = "its control flow";
      return std::nullopt;
    }
    return std::move(region_);
  }

private:
  Loop* firstWavefront() {
    LoopBlocksRPO order(lanes_.loop);
    order.perform(&loops_);
    for (BasicBlock* block : order) {
      Loop* loop = loops_.getLoopFor(block);
      if (loop != lanes_.loop && loop->getHeader() == block && is_wavefront_(*loop))
        return loop;
    }
    return nullptr;
  }

  void findCuts(Loop& first) {
    Loop* outermost = &first;
    while (outermost->getParentLoop() != lanes_.loop)
      outermost = outermost->getParentLoop();
    for (BasicBlock* block : commonBlocks(lanes_, loops_, dominators_)) {
      if (!dominators_.properlyDominates(block, outermost->getHeader())) {
        region_.end = block;
        return;
      }
      region_.before = block;
    }
  }

  void split() {
    region_.entry = SplitBlock(region_.before, region_.before->getTerminator(), &dominators_, &loops_);
    region_.entry->setName("wavefront");
    region_.behind = SplitBlock(region_.end, region_.end->getFirstNonPHI(), &dominators_, &loops_);
    region_.end->setName("wavefront.end");
    region_.behind->setName("wavefront.behind");
    if (lanes_.latch == region_.end)
      lanes_.latch = region_.behind;
  }

  void findBlocks() {
    LoopBlocksRPO order(lanes_.loop);
    order.perform(&loops_);
    SmallPtrSet<BasicBlock*, 32> inside;
    for (BasicBlock* block : order)
      if (block == region_.entry || (block != region_.behind && any_of(predecessors(block), [&](BasicBlock* before) {
                                       return inside.contains(before);
                                     }))) {
        inside.insert(block);
        number_[block] = blocks_.size();
        blocks_.push_back(block);
      }
  }

  bool hasStation(const Loop& loop) {
    return is_wavefront_(loop) || any_of(loop, [&](const Loop* inner) { return hasStation(*inner); });
  }

  // A loop around a station has points, too: each of its iterations leads to the station.
  void findStations() {
    points_.insert(region_.entry);
    points_.insert(region_.end);
    for (BasicBlock* block : blocks_) {
      Loop* loop = loops_.getLoopFor(block);
      if (loop == lanes_.loop || loop->getHeader() != block || !hasStation(*loop))
        continue;
      points_.insert(block);
      SmallVector<BasicBlock*, 4> exits;
      loop->getUniqueExitBlocks(exits);
      points_.insert(exits.begin(), exits.end());
      if (none_of(*loop, [&](const Loop* inner) { return hasStation(*inner); }))
        stations_.insert(block);
    }
  }

  // Gives each block a segment. A block at which segments meet is a point, too. False if edges lead back to blocks
  // that are no loop's header.
  bool divide() {
    for (BasicBlock* block : blocks_) {
      SmallSetVector<unsigned, 4> from;
      bool cycle = false;
      for (BasicBlock* before : predecessors(block)) {
        auto known = number_.find(before);
        if (known == number_.end())
          continue;
        if (known->second < number_[block])
          from.insert(region_.segment_of[before]);
        else
          cycle = true;
      }
      Loop* loop = loops_.getLoopFor(block);
      if (cycle && (loop == lanes_.loop || loop->getHeader() != block))
        return false;
      bool point = points_.contains(block) || from.size() != 1;
      unsigned segment = point ? region_.segments.size() : from[0];
      if (point)
        region_.segments.push_back({block, {}, stations_.contains(block)});
      region_.segments[segment].blocks.push_back(block);
      region_.segment_of[block] = segment;
    }
    return true;
  }

  LaneLoop& lanes_;
  LoopInfo& loops_;
  DominatorTree& dominators_;
  IsWavefront is_wavefront_;
  WavefrontRegion region_;
  SmallVector<BasicBlock*, 32> blocks_; // of the region, in reverse postorder
  DenseMap<const BasicBlock*, unsigned> number_;
  SmallPtrSet<BasicBlock*, 16> points_, stations_;
};

} // namespace

std::optional<WavefrontRegion> cutRegion(LaneLoop& lanes, LoopInfo& loops, DominatorTree& dominators,
                                         IsWavefront is_wavefront, std::string& reason) {
  return RegionCut(lanes, loops, dominators, is_wavefront).run(reason);
}

} // namespace bsgp::target
