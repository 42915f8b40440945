#include "bsp/decided_tests.h"

#include <optional>
#include <vector>

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/DenseSet.h>
#include <llvm/ADT/DepthFirstIterator.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/SSAUpdater.h>

namespace bsgp::bsp {

using namespace llvm;

namespace {

constexpr size_t kShortest = 4;         // tests of a ladder: fewer are no burden
constexpr size_t kMostValues = 1 << 16; // that come together at its end, from all tests

// A block that ends by comparing a value with a constant.
struct Test {
  BasicBlock* block;
  Value* value;
  ConstantInt* constant;
  BasicBlock *hit, *miss; // where the value equals the constant, and where not
};

std::optional<Test> testAtEndOf(BasicBlock& block) {
  auto* branch = dyn_cast<BranchInst>(block.getTerminator());
  auto* compare = branch && branch->isConditional() ? dyn_cast<ICmpInst>(branch->getCondition()) : nullptr;
  auto* constant = compare && compare->isEquality() ? dyn_cast<ConstantInt>(compare->getOperand(1)) : nullptr;
  if (!constant || branch->getSuccessor(0) == branch->getSuccessor(1))
    return std::nullopt;
  bool hits_first = compare->getPredicate() == CmpInst::ICMP_EQ;
  return Test{&block, compare->getOperand(0), constant, branch->getSuccessor(!hits_first),
              branch->getSuccessor(hits_first)};
}

// True if the block only has the test, whose result has no other use.
bool onlyTests(const BasicBlock& block) {
  const Instruction& compare = *block.getFirstNonPHI();
  return isa<ICmpInst>(compare) && compare.hasOneUse() && compare.getNextNode() == block.getTerminator() &&
         cast<BranchInst>(block.getTerminator())->getCondition() == &compare;
}

using Ladder = std::vector<Test>;

// Behind the first test come others of the same value with other constants. Each is reached from the test before and from
// where that has hit, and from nowhere else.
class LadderSearch {
public:
  explicit LadderSearch(Function& function) : dominators_(function) {}

  Ladder from(BasicBlock& block) const {
    Ladder ladder;
    DenseSet<const ConstantInt*> constants;
    for (auto test = testAtEndOf(block); test; test = testAtEndOf(*test->miss)) {
      bool fits = ladder.empty() ? test->hit->getSinglePredecessor() != nullptr : follows(ladder.back(), *test);
      if (!fits || !constants.insert(test->constant).second)
        break;
      ladder.push_back(*test);
    }
    return ladder;
  }

  const DominatorTree& dominators() const { return dominators_; }

private:
  bool follows(const Test& before, const Test& test) const {
    return test.value == before.value && test.hit->getSinglePredecessor() && onlyTests(*test.block) &&
           all_of(predecessors(test.block), [&](const BasicBlock* from) {
             return from == before.block || dominators_.dominates(before.hit, from);
           });
  }

  DominatorTree dominators_;
};

// The last test becomes the block to which all hits of earlier tests go on.
class LadderCut {
public:
  LadderCut(Ladder ladder, const DominatorTree& dominators) : ladder_(std::move(ladder)), end_(*ladder_.back().block) {
    findSections(dominators);
  }

  void run() {
    for (size_t i = ladder_.size() - 2; i > 0; --i) // the first test may have any number of edges to it
      cut(*ladder_[i].block, *ladder_[i - 1].block, i);
  }

private:
  // Numbers the blocks that are reached through a test, before the end.
  void findSections(const DominatorTree& dominators) {
    for (unsigned i = 0; i + 1 != ladder_.size(); ++i) {
      section_[ladder_[i].block] = i;
      for (const auto* node : depth_first(dominators.getNode(ladder_[i].hit)))
        section_[node->getBlock()] = i;
    }
  }

  bool isBehind(const Use& use, unsigned test) const {
    auto* user = cast<Instruction>(use.getUser());
    auto* phi = dyn_cast<PHINode>(user);
    auto found = section_.find(phi ? phi->getIncomingBlock(use) : user->getParent());
    return found == section_.end() || found->second < test;
  }

  // Leads all edges to the block, except the one from the test before, to the end.
  void cut(BasicBlock& block, BasicBlock& before, unsigned test) {
    SmallVector<BasicBlock*, 4> others;
    for (BasicBlock* from : predecessors(&block))
      if (from != &before)
        others.push_back(from);
    for (PHINode& phi : end_.phis()) {
      Value* value = phi.getIncomingValueForBlock(ladder_[ladder_.size() - 2].block);
      auto* chosen = dyn_cast<PHINode>(value);
      bool is_here = chosen && chosen->getParent() == &block;
      for (BasicBlock* from : others)
        phi.addIncoming(is_here ? chosen->getIncomingValueForBlock(from) : value, from);
    }
    std::vector<Rewrite> rewrites = rewritesOf(block, others, test);
    for (BasicBlock* from : others) {
      block.removePredecessor(from, /*KeepOneInputPHIs=*/true);
      from->getTerminator()->replaceSuccessorWith(&block, &end_);
    }
    rewrite(block, rewrites);
    FoldSingleEntryPHINodes(&block);
  }

  // A value of the block that is used behind the end, with its values on the edges that no longer lead to the block.
  struct Rewrite {
    PHINode* phi;
    SmallVector<Use*, 4> uses;
    SmallVector<std::pair<BasicBlock*, Value*>, 4> values;
  };

  std::vector<Rewrite> rewritesOf(BasicBlock& block, ArrayRef<BasicBlock*> others, unsigned test) const {
    std::vector<Rewrite> rewrites;
    for (PHINode& phi : block.phis()) {
      Rewrite here{&phi, {}, {}};
      for (Use& use : phi.uses())
        if (isBehind(use, test))
          here.uses.push_back(&use);
      if (here.uses.empty())
        continue;
      for (BasicBlock* from : others)
        here.values.emplace_back(from, phi.getIncomingValueForBlock(from));
      rewrites.push_back(std::move(here));
    }
    return rewrites;
  }

  static void rewrite(BasicBlock& block, ArrayRef<Rewrite> rewrites) {
    for (const Rewrite& here : rewrites) {
      SSAUpdater updater;
      updater.Initialize(here.phi->getType(), here.phi->getName());
      updater.AddAvailableValue(&block, here.phi);
      for (auto [from, value] : here.values)
        updater.AddAvailableValue(from, value);
      for (Use* use : here.uses)
        updater.RewriteUse(*use);
    }
  }

  const Ladder ladder_;
  BasicBlock& end_;
  DenseMap<const BasicBlock*, unsigned> section_; // the test through which a block is reached
};

size_t phisOf(const BasicBlock& block) {
  return std::distance(block.phis().begin(), block.phis().end());
}

// No block has two edges to a test.
bool leadsOnce(const Ladder& ladder) {
  return all_of(ladder, [](const Test& test) {
    SmallPtrSet<const BasicBlock*, 4> seen;
    return all_of(predecessors(test.block), [&](const BasicBlock* from) { return seen.insert(from).second; });
  });
}

} // namespace

PreservedAnalyses DecidedTestsPass::run(Function& function, FunctionAnalysisManager&) {
  LadderSearch search(function);
  SmallPtrSet<const BasicBlock*, 16> done;
  bool changed = false;
  for (BasicBlock& block : function) {
    if (done.contains(&block))
      continue;
    Ladder ladder = search.from(block);
    for (const Test& test : ladder)
      done.insert(test.block);
    if (ladder.size() < kShortest || !leadsOnce(ladder) || ladder.size() * phisOf(*ladder.back().block) > kMostValues)
      continue;
    LadderCut(std::move(ladder), search.dominators()).run();
    changed = true;
  }
  return changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

} // namespace bsgp::bsp
