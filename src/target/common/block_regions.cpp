#include "target/common/block_regions.h"

#include <llvm/Analysis/CFG.h>
#include <llvm/Analysis/IteratedDominanceFrontier.h>
#include <llvm/IR/CFG.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/Local.h>

#include "ir/operations.h"

namespace bsgp::target {

using namespace llvm;

namespace {

bool isImpossible(const BasicBlock& way) {
  return isa<UnreachableInst>(way.getFirstNonPHI());
}

void dropImpossibleSide(BranchInst& branch) {
  BasicBlock* block = branch.getParent();
  for (unsigned i : {0u, 1u}) {
    BasicBlock *way = branch.getSuccessor(i), *other = branch.getSuccessor(1 - i);
    if (!isImpossible(*way) || other == way)
      continue;
    way->removePredecessor(block);
    ReplaceInstWithInst(&branch, BranchInst::Create(other));
    return;
  }
}

// Takes out the cases that lead to `unreachable`. If the default does too, the last case becomes the default.
void dropImpossibleCases(SwitchInst& choice) {
  BasicBlock* block = choice.getParent();
  for (auto at = choice.case_begin(); at != choice.case_end();) {
    if (!isImpossible(*at->getCaseSuccessor())) {
      ++at;
      continue;
    }
    at->getCaseSuccessor()->removePredecessor(block);
    at = choice.removeCase(at);
  }
  if (!isImpossible(*choice.getDefaultDest()) || !choice.getNumCases())
    return;
  choice.getDefaultDest()->removePredecessor(block);
  auto last = std::prev(choice.case_end());
  choice.setDefaultDest(last->getCaseSuccessor());
  choice.removeCase(last);
}

// An edge that LLVM proved to be taken by no thread decides nothing.
void dropImpossibleWays(Function& thread) {
  for (BasicBlock& block : thread) {
    if (auto* branch = dyn_cast<BranchInst>(block.getTerminator()); branch && branch->isConditional())
      dropImpossibleSide(*branch);
    else if (auto* choice = dyn_cast<SwitchInst>(block.getTerminator()))
      dropImpossibleCases(*choice);
  }
  removeUnreachableBlocks(thread);
}

struct Sync {
  BasicBlock *before, *after;
};

SmallVector<Sync, 8> cutAtSyncs(Function& thread) {
  SmallVector<Instruction*, 8> calls;
  for (Instruction& instruction : instructions(thread))
    if (ir::opOf(instruction) == ir::Op::BlockSync)
      calls.push_back(&instruction);
  SmallVector<Sync, 8> syncs;
  for (Instruction* call : calls) {
    BasicBlock* before = call->getParent();
    BasicBlock* after = before->splitBasicBlock(std::next(call->getIterator()), "synced");
    call->eraseFromParent();
    syncs.push_back({before, after});
  }
  return syncs;
}

} // namespace

Regions::Regions(Function& thread) : thread_(thread) {
  dropImpossibleWays(thread);
  SmallVector<Sync, 8> syncs = cutAtSyncs(thread);
  SplitAllCriticalEdges(thread);
  for (BasicBlock& block : thread)
    if (block.getSinglePredecessor())
      FoldSingleEntryPHINodes(&block);
  post_dominators_.recalculate(thread);
  findDependences();
  SmallVector<std::pair<const BasicBlock*, const BasicBlock*>, 8> back_edges;
  FindFunctionBackedges(thread, back_edges);
  back_edges_.insert(back_edges.begin(), back_edges.end());

  SmallVector<BasicBlock*, 8> ends;
  cuts_.leaders.insert(&thread.getEntryBlock());
  for (const Sync& sync : syncs) {
    ends.push_back(sync.before);
    cuts_.leaders.insert(sync.after);
  }
  cuts_.deciding = branchesThatDecide(ends);
  SmallVector<BasicBlock*, 8> branches; // in an order that does not depend on addresses
  for (BasicBlock& block : thread)
    if (cuts_.deciding.contains(&block))
      branches.push_back(&block);
  decideAt(branches);
}

void Regions::decideAt(ArrayRef<BasicBlock*> branches) {
  for (BasicBlock* branch : branches) {
    cuts_.deciding.insert(branch);
    cuts_.leaders.insert(succ_begin(branch), succ_end(branch));
  }
  makeRegions();
}

void Regions::restore(Cuts cuts) {
  cuts_ = std::move(cuts);
  makeRegions();
}

void Regions::cutAt(ArrayRef<BasicBlock*> blocks) {
  cuts_.leaders.insert(blocks.begin(), blocks.end());
  makeRegions();
}

ArrayRef<unsigned> Regions::of(const BasicBlock* block) const {
  auto found = of_block_.find(block);
  return found == of_block_.end() ? ArrayRef<unsigned>() : ArrayRef<unsigned>(found->second);
}

// The branches that a block directly depends on: it is reached by all threads on one of their sides, and not by all on
// another.
void Regions::findDependences() {
  for (BasicBlock& block : thread_) {
    if (succ_size(&block) < 2)
      continue;
    const auto* end = post_dominators_.getNode(&block)->getIDom();
    for (BasicBlock* side : successors(&block))
      for (const auto* at = post_dominators_.getNode(side); at && at != end; at = at->getIDom())
        if (BasicBlock* dependent = at->getBlock())
          dependent_on_[&block].insert(dependent);
  }
}

// The blocks that depend on a branch which threads of a block may take differently, directly or through other branches.
void Regions::findDivided() {
  divided_.clear();
  SmallVector<const BasicBlock*, 16> pending;
  for (const auto& [branch, dependent] : dependent_on_)
    if (!cuts_.deciding.contains(branch))
      pending.push_back(branch);
  while (!pending.empty())
    if (auto found = dependent_on_.find(pending.pop_back_val()); found != dependent_on_.end())
      for (const BasicBlock* block : found->second)
        if (divided_.insert(block).second && cuts_.deciding.contains(block))
          pending.push_back(block);
}

// The blocks whose branch some of `about` depend on, directly or through other branches.
SmallPtrSet<BasicBlock*, 8> Regions::branchesThatDecide(ArrayRef<BasicBlock*> about) {
  SmallPtrSet<BasicBlock*, 8> defining(about.begin(), about.end());
  ReverseIDFCalculator frontier(post_dominators_);
  frontier.setDefiningBlocks(defining);
  SmallVector<BasicBlock*, 8> found;
  frontier.calculate(found);
  return SmallPtrSet<BasicBlock*, 8>(found.begin(), found.end());
}

bool Regions::isReachedByAllOrNone(const BasicBlock* block) const {
  return !divided_.contains(block);
}

BasicBlock* Regions::joinOf(BasicBlock* block) const {
  auto* node = post_dominators_.getNode(block);
  return node && node->getIDom() ? node->getIDom()->getBlock() : nullptr;
}

void Regions::makeRegions() {
  findDivided();
  do {
    regions_.clear();
    of_block_.clear();
    for (const BasicBlock* leader : cuts_.leaders) {
      regions_.push_back(trace(const_cast<BasicBlock*>(leader)));
      for (BasicBlock* block : regions_.back().blocks)
        of_block_[block].push_back(regions_.size() - 1);
    }
  } while (addMeetings());
  for (Region& region : regions_)
    describe(region);
}

// Makes leaders of the first blocks that several regions have in common, if all threads come there. Other common blocks
// are copied to each region.
bool Regions::addMeetings() {
  SmallVector<BasicBlock*, 8> meetings;
  for (BasicBlock& block : thread_) {
    ArrayRef<unsigned> regions = of(&block);
    bool first = any_of(predecessors(&block), [&](BasicBlock* before) { return of(before) != regions; });
    if (regions.size() > 1 && first && isReachedByAllOrNone(&block))
      meetings.push_back(&block);
  }
  cuts_.leaders.insert(meetings.begin(), meetings.end());
  return !meetings.empty();
}

Region Regions::trace(BasicBlock* leader) const {
  Region region;
  SmallPtrSet<const BasicBlock*, 16> seen{leader};
  region.blocks.push_back(leader);
  for (unsigned i = 0; i != region.blocks.size(); ++i)
    for (BasicBlock* after : successors(region.blocks[i]))
      if (!isLeader(after) && seen.insert(after).second)
        region.blocks.push_back(after);
  return region;
}

void Regions::describe(Region& region) const {
  SmallPtrSet<const BasicBlock*, 16> inside(region.blocks.begin(), region.blocks.end());
  for (BasicBlock* block : region.blocks) {
    if (cuts_.deciding.contains(block))
      region.decision = block->getTerminator();
    for (BasicBlock* after : successors(block)) {
      if (isLeader(after))
        region.next.insert(after);
      else
        region.loops |= back_edges_.contains({block, after});
    }
  }
}

} // namespace bsgp::target
