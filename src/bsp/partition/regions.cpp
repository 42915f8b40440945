#include "bsp/partition/regions.h"

#include <algorithm>

#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Transforms/Utils/Local.h>

#include "bsp/partition/block_order.h"

namespace bsgp::bsp {

using namespace llvm;

namespace {

class Cutter {
public:
  explicit Cutter(Function& kernel) : kernel_(kernel), dominators_(kernel), loops_(dominators_) {}

  Regions run() {
    made_.basic_blocks = unsigned(kernel_.size());
    for (BasicBlock* block : ReversePostOrderTraversal<Function*>(&kernel_))
      add(*block);
    splitEdges();
    sortRegions();
    return std::move(made_);
  }

private:
  void add(BasicBlock& block) {
    std::optional<unsigned> around = regionBefore(block);
    if (!around) {
      around = unsigned(made_.all.size());
      made_.all.emplace_back();
    }
    made_.of[&block] = *around;
    made_.all[*around].blocks.push_back(&block);
  }

  // Returns the region of all blocks in front, if the block can belong to it.
  std::optional<unsigned> regionBefore(BasicBlock& block) const {
    std::optional<unsigned> region;
    for (BasicBlock* before : predecessors(&block)) {
      auto known = made_.of.find(before);
      if (known == made_.of.end() || (region && *region != known->second)) // a loop begins here, or paths meet
        return std::nullopt;
      region = known->second;
    }
    if (!region)
      return std::nullopt;
    bool ends_thread = isa<UnreachableInst>(block.getTerminator());
    bool is_in_loop = loops_.getLoopFor(&block) == loops_.getLoopFor(made_.entry(*region));
    return is_in_loop || ends_thread ? region : std::nullopt;
  }

  // An edge to the entry of a region, its own or another one, leaves the region.
  void splitEdges() {
    for (unsigned from = 0; from < made_.all.size(); ++from)
      for (BasicBlock* block : std::vector(made_.all[from].blocks)) {
        SmallSetVector<BasicBlock*, 4> targets;
        for (BasicBlock* next : successors(block))
          if (unsigned to = made_.of.lookup(next); to != from || next == made_.entry(from))
            targets.insert(next);
        for (BasicBlock* target : targets)
          splitEdge(*block, *target, from);
      }
  }

  void splitEdge(BasicBlock& block, BasicBlock& target, unsigned from) {
    auto* exit = BasicBlock::Create(kernel_.getContext(), "leave", &kernel_, &target);
    BranchInst::Create(&target, exit);
    block.getTerminator()->replaceSuccessorWith(&target, exit);
    for (PHINode& phi : target.phis()) {
      int first = phi.getBasicBlockIndex(&block);
      phi.setIncomingBlock(unsigned(first), exit);
      for (int again; (again = phi.getBasicBlockIndex(&block)) >= 0;) // several cases of a switch
        phi.removeIncomingValue(unsigned(again), false);
    }
    made_.of[exit] = from;
    made_.all[from].blocks.push_back(exit);
    made_.exits.push_back({exit, from, made_.of.lookup(&target)});
  }

  void sortRegions() {
    BlockGraph graph(made_.all.size());
    for (const RegionExit& exit : made_.exits)
      graph[exit.from].push_back(exit.to);
    std::vector<unsigned> order = loopOrder(graph), number(graph.size());
    for (unsigned i = 0; i < order.size(); ++i)
      number[order[i]] = i;
    std::vector<Region> sorted(graph.size());
    for (unsigned i = 0; i < graph.size(); ++i)
      sorted[number[i]] = std::move(made_.all[i]);
    made_.all = std::move(sorted);
    for (auto& [block, region] : made_.of)
      region = number[region];
    for (unsigned i = 0; i < made_.exits.size(); ++i) {
      RegionExit& exit = made_.exits[i];
      exit.from = number[exit.from], exit.to = number[exit.to];
      made_.all[exit.from].next.push_back(exit.to);
      made_.all[exit.from].exits.push_back(i);
      made_.exit_of[exit.block] = i;
    }
    for (Region& region : made_.all) {
      std::sort(region.next.begin(), region.next.end());
      region.next.erase(std::unique(region.next.begin(), region.next.end()), region.next.end());
    }
  }

  Function& kernel_;
  DominatorTree dominators_;
  LoopInfo loops_;
  Regions made_;
};

} // namespace

Regions cutIntoRegions(Function& kernel) {
  removeUnreachableBlocks(kernel);
  return Cutter(kernel).run();
}

} // namespace bsgp::bsp
