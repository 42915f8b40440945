#include "bsp/promote_locals.h"

#include <algorithm>
#include <vector>

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/MapVector.h>
#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Transforms/Utils/PromoteMemToReg.h>

#include "ir/operations.h"

namespace bsgp::bsp {

using namespace llvm;

namespace {

// Where the accesses to a variable stand. Where barriers stand outside of control flow, all blocks of a superstep come
// before those of the next one in reverse post order.
class AccessOrder {
public:
  explicit AccessOrder(Function& function) {
    starts_.push_back(&function.getEntryBlock());
    for (BasicBlock* block : ReversePostOrderTraversal<Function*>(&function))
      for (Instruction& instruction : *block) {
        ir::Op op = ir::opOf(instruction);
        if (ir::isBarrier(op))
          starts_.push_back(block);
        flows_ |= op == ir::Op::Decide;
        if (isa<LoadInst, StoreInst>(instruction))
          supersteps_[&instruction] = starts_.size() - 1;
      }
    dominators_.recalculate(function);
    if (flows_)
      loops_.analyze(dominators_);
  }

  DominatorTree& dominators() { return dominators_; }

  // A block before all of its accesses, and in no loop with them; null where an access is never reached.
  BasicBlock* start(const AllocaInst& variable) const { return flows_ ? startOfFlow(variable) : startOfLine(variable); }

private:
  // Where the first superstep that uses it begins.
  BasicBlock* startOfLine(const AllocaInst& variable) const {
    unsigned first = starts_.size() - 1;
    for (const User* user : variable.users()) {
      if (!isa<LoadInst, StoreInst>(user))
        continue;
      auto known = supersteps_.find(cast<Instruction>(user));
      if (known == supersteps_.end())
        return nullptr;
      first = std::min(first, known->second);
    }
    return starts_[first];
  }

  BasicBlock* startOfFlow(const AllocaInst& variable) const {
    BasicBlock* start = nullptr;
    for (const User* user : variable.users()) {
      if (!isa<LoadInst, StoreInst>(user))
        continue;
      auto* block = const_cast<BasicBlock*>(cast<Instruction>(user)->getParent());
      if (!dominators_.isReachableFromEntry(block))
        return nullptr;
      start = start ? dominators_.findNearestCommonDominator(start, block) : block;
    }
    for (const Loop* loop = start ? loops_.getLoopFor(start) : nullptr; loop; loop = loops_.getLoopFor(start))
      start = dominators_.getNode(loop->getOutermostLoop()->getHeader())->getIDom()->getBlock();
    return start;
  }

  std::vector<BasicBlock*> starts_; // per superstep
  DenseMap<const Instruction*, unsigned> supersteps_;
  bool flows_ = false; // the host decides which superstep comes next
  DominatorTree dominators_;
  LoopInfo loops_;
};

// The blocks where values from two edges meet that a block's own value does not dominate (Cytron et al. 1991), by a walk from
// each edge up to where its block is dominated from (Cooper, Harvey, Kennedy 2001).
class Frontiers {
public:
  Frontiers(Function& function, const DominatorTree& dominators) {
    for (BasicBlock& join : function) {
      if (!join.hasNPredecessorsOrMore(2) || !dominators.isReachableFromEntry(&join))
        continue;
      const BasicBlock* top =
          dominators.getNode(&join)->getIDom() ? dominators.getNode(&join)->getIDom()->getBlock() : nullptr;
      for (BasicBlock* from : predecessors(&join))
        if (dominators.isReachableFromEntry(from))
          addUpTo(top, *from, join, dominators);
    }
  }

  ArrayRef<BasicBlock*> of(const BasicBlock* block) const {
    auto known = frontiers_.find(block);
    return known == frontiers_.end() ? ArrayRef<BasicBlock*>() : ArrayRef(known->second);
  }

private:
  void addUpTo(const BasicBlock* top, const BasicBlock& from, BasicBlock& join, const DominatorTree& dominators) {
    for (const DomTreeNode* node = dominators.getNode(&from); node && node->getBlock() != top; node = node->getIDom()) {
      auto& frontier = frontiers_[node->getBlock()];
      if (!frontier.empty() && frontier.back() == &join) // and so has each above it
        return;
      frontier.push_back(&join);
    }
  }

  DenseMap<const BasicBlock*, SmallVector<BasicBlock*, 2>> frontiers_;
};

struct Promoted {
  AllocaInst* variable;
  BasicBlock* start; // it has no value before this block
};

// Gives each load the value that was stored last, for all variables in one walk of the dominator tree.
class Promotion {
public:
  Promotion(Function& function, DominatorTree& dominators, ArrayRef<Promoted> variables)
      : dominators_(dominators), variables_(variables), values_(variables.size()) {
    dominators.updateDFSNumbers();
    const Frontiers frontiers(function, dominators);
    for (unsigned i = 0; i < variables.size(); ++i) {
      numbers_[variables[i].variable] = i;
      placePhis(i, frontiers);
    }
  }

  void run() {
    walk();
    dropUnusedPhis();
    for (const Promoted& promoted : variables_)
      promoted.variable->eraseFromParent();
  }

private:
  struct Phi {
    PHINode* node;
    unsigned variable;
  };
  struct Change {
    unsigned variable;
    Value* before;
  };
  struct Visit {
    DomTreeNode* node;
    DomTreeNode::iterator next;
    size_t changes; // of the blocks above
  };

  void placePhis(unsigned number, const Frontiers& frontiers) {
    auto [variable, start] = variables_[number];
    SmallPtrSet<const BasicBlock*, 16> seen;
    SmallVector<const BasicBlock*, 16> work;
    for (const User* user : variable->users())
      if (auto* store = dyn_cast<StoreInst>(user); store && seen.insert(store->getParent()).second)
        work.push_back(store->getParent());
    SmallPtrSet<const BasicBlock*, 16> placed;
    while (!work.empty())
      for (BasicBlock* join : frontiers.of(work.pop_back_val())) {
        if (!dominators_.properlyDominates(start, join) || !placed.insert(join).second)
          continue;
        auto* phi = PHINode::Create(variable->getAllocatedType(), pred_size(join), variable->getName(), join->begin());
        phis_[join].push_back({phi, number});
        if (seen.insert(join).second)
          work.push_back(join);
      }
  }

  // Without recursion: the tree is as deep as the program is long.
  void walk() {
    SmallVector<Visit, 32> path;
    auto enter = [&](DomTreeNode* node) {
      path.push_back({node, node->begin(), changes_.size()});
      visitBlock(*node->getBlock());
    };
    enter(dominators_.getRootNode());
    while (!path.empty()) {
      Visit& visit = path.back();
      if (visit.next != visit.node->end()) {
        enter(*visit.next++);
        continue;
      }
      for (; changes_.size() > visit.changes; changes_.pop_back())
        values_[changes_.back().variable] = changes_.back().before;
      path.pop_back();
    }
  }

  void visitBlock(BasicBlock& block) {
    if (auto phis = phis_.find(&block); phis != phis_.end())
      for (const Phi& phi : phis->second)
        set(phi.variable, phi.node);
    for (Instruction& instruction : make_early_inc_range(block))
      visit(instruction);
    for (BasicBlock* next : successors(&block))
      if (auto phis = phis_.find(next); phis != phis_.end())
        for (const Phi& phi : phis->second)
          phi.node->addIncoming(valueOf(phi.variable), &block);
  }

  void visit(Instruction& instruction) {
    auto* store = dyn_cast<StoreInst>(&instruction);
    auto* marker = dyn_cast<IntrinsicInst>(&instruction);
    bool marks = marker && marker->isLifetimeStartOrEnd();
    const Value* pointer = marks ? marker->getArgOperand(1) : getLoadStorePointerOperand(&instruction);
    auto known = pointer ? numbers_.find(pointer) : numbers_.end();
    if (known == numbers_.end())
      return;
    if (store)
      set(known->second, store->getValueOperand());
    else if (!marks)
      instruction.replaceAllUsesWith(valueOf(known->second));
    instruction.eraseFromParent();
  }

  void set(unsigned variable, Value* value) {
    changes_.push_back({variable, values_[variable]});
    values_[variable] = value;
  }

  Value* valueOf(unsigned variable) const {
    return values_[variable] ? values_[variable] : UndefValue::get(variables_[variable].variable->getAllocatedType());
  }

  // Phis that only others of no use read.
  void dropUnusedPhis() {
    SmallPtrSet<const Value*, 16> ours, used;
    SmallVector<PHINode*, 16> work;
    for (auto& [block, phis] : phis_)
      for (const Phi& phi : phis)
        ours.insert(phi.node);
    for (auto& [block, phis] : phis_)
      for (const Phi& phi : phis)
        if (any_of(phi.node->users(), [&](const User* user) { return !ours.contains(user); })) {
          used.insert(phi.node);
          work.push_back(phi.node);
        }
    while (!work.empty())
      for (Value* operand : work.pop_back_val()->incoming_values())
        if (ours.contains(operand) && used.insert(operand).second)
          work.push_back(cast<PHINode>(operand));
    for (auto& [block, phis] : phis_)
      for (const Phi& phi : phis)
        if (!used.contains(phi.node)) {
          phi.node->replaceAllUsesWith(PoisonValue::get(phi.node->getType()));
          phi.node->eraseFromParent();
        }
  }

  DominatorTree& dominators_;
  ArrayRef<Promoted> variables_;
  DenseMap<const Value*, unsigned> numbers_; // of the variables
  MapVector<BasicBlock*, SmallVector<Phi, 4>> phis_;
  std::vector<Value*> values_; // of each variable where the walk stands; null: none yet
  std::vector<Change> changes_;
};

bool isUsedInOneBlock(const AllocaInst& variable) {
  const BasicBlock* only = nullptr;
  for (const User* user : variable.users()) {
    if (!isa<LoadInst, StoreInst>(user))
      continue;
    const BasicBlock* block = cast<Instruction>(user)->getParent();
    if (only && only != block)
      return false;
    only = block;
  }
  return true;
}

bool isScalarVariable(const AllocaInst& variable) {
  return isAllocaPromotable(&variable) && all_of(variable.users(), [](const User* user) {
           auto* marker = dyn_cast<IntrinsicInst>(user);
           return isa<LoadInst, StoreInst>(user) || (marker && marker->isLifetimeStartOrEnd());
         });
}

} // namespace

PreservedAnalyses PromoteLocalsPass::run(Function& function, FunctionAnalysisManager&) {
  AccessOrder order(function);
  std::vector<Promoted> promoted;
  for (Instruction& instruction : function.getEntryBlock())
    if (auto* variable = dyn_cast<AllocaInst>(&instruction);
        variable && isScalarVariable(*variable) && !isUsedInOneBlock(*variable))
      if (BasicBlock* start = order.start(*variable))
        promoted.push_back({variable, start});
  Promotion(function, order.dominators(), promoted).run();
  PreservedAnalyses preserved;
  preserved.preserveSet<CFGAnalyses>();
  return preserved;
}

} // namespace bsgp::bsp
