#include "ir/promote_variables.h"

#include <vector>

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/MapVector.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Transforms/Utils/PromoteMemToReg.h>

namespace bsgp::ir {

using namespace llvm;

namespace {

// The dominance frontier of a block holds the joins at which its values meet others: it dominates a predecessor of the join, but
// not the join (Cytron et al. 1991). Each edge into a join is followed up the dominator tree, to the node that dominates the join
// (Cooper, Harvey, Kennedy 2001).
class Frontiers {
public:
  Frontiers(Function& function, const DominatorTree& dominators) {
    for (BasicBlock& join : function) {
      if (!join.hasNPredecessorsOrMore(2) || !dominators.isReachableFromEntry(&join))
        continue;
      const DomTreeNode* top = dominators.getNode(&join)->getIDom();
      for (BasicBlock* from : predecessors(&join)) // null: it is not reached
        for (const DomTreeNode* node = dominators.getNode(from); node && node != top && add(*node, join);)
          node = node->getIDom();
    }
  }

  ArrayRef<BasicBlock*> of(const BasicBlock* block) const {
    auto known = frontiers_.find(block);
    return known == frontiers_.end() ? ArrayRef<BasicBlock*>() : ArrayRef(known->second);
  }

private:
  // False if the block has it already, and so has each above it.
  bool add(const DomTreeNode& node, BasicBlock& join) {
    auto& frontier = frontiers_[node.getBlock()];
    if (!frontier.empty() && frontier.back() == &join)
      return false;
    frontier.push_back(&join);
    return true;
  }

  DenseMap<const BasicBlock*, SmallVector<BasicBlock*, 2>> frontiers_;
};

// Gives each load the value that was stored last, for all variables in one walk of the dominator tree.
class Promotion {
public:
  Promotion(Function& function, const DominatorTree& dominators, ArrayRef<AllocaInst*> variables)
      : dominators_(dominators), variables_(variables), values_(variables.size()) {
    const Frontiers frontiers(function, dominators);
    for (unsigned i = 0; i < variables.size(); ++i) {
      numbers_[variables[i]] = i;
      placePhis(i, frontiers);
    }
  }

  void run() {
    walk();
    dropUnusedPhis();
    for (AllocaInst* variable : variables_)
      variable->eraseFromParent();
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
    const DomTreeNode* node;
    DomTreeNode::const_iterator next;
    size_t changes; // of the blocks above
  };

  void placePhis(unsigned number, const Frontiers& frontiers) {
    AllocaInst* variable = variables_[number];
    SmallPtrSet<const BasicBlock*, 16> seen;
    SmallVector<const BasicBlock*, 16> work;
    for (const User* user : variable->users())
      if (auto* store = dyn_cast<StoreInst>(user); store && seen.insert(store->getParent()).second)
        work.push_back(store->getParent());
    SmallPtrSet<const BasicBlock*, 16> placed;
    while (!work.empty())
      for (BasicBlock* join : frontiers.of(work.pop_back_val())) {
        if (!placed.insert(join).second)
          continue;
        phis_[join].push_back({newPhi(*variable, *join), number});
        if (seen.insert(join).second)
          work.push_back(join);
      }
  }

  PHINode* newPhi(const AllocaInst& variable, BasicBlock& join) const {
    Type* type = variable.getAllocatedType();
    auto* phi = PHINode::Create(type, pred_size(&join), variable.getName(), join.begin());
    for (BasicBlock* from : predecessors(&join))
      if (!dominators_.isReachableFromEntry(from)) // which the walk does not visit
        phi->addIncoming(UndefValue::get(type), from);
    return phi;
  }

  // Without recursion: the tree is as deep as the program is long.
  void walk() {
    SmallVector<Visit, 32> path;
    auto enter = [&](const DomTreeNode* node) {
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
    return values_[variable] ? values_[variable] : UndefValue::get(variables_[variable]->getAllocatedType());
  }

  // Drops phis that nothing reads but other such phis. Those of a variable that a loop's body sets first are cycles.
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

  const DominatorTree& dominators_;
  ArrayRef<AllocaInst*> variables_;
  DenseMap<const Value*, unsigned> numbers_; // of the variables
  MapVector<BasicBlock*, SmallVector<Phi, 4>> phis_;
  std::vector<Value*> values_; // of each variable where the walk stands; null: none yet
  std::vector<Change> changes_;
};

// True if all of its accesses are reached, and stand in more than one block.
bool isUsedInSeveralBlocks(const AllocaInst& variable, const DominatorTree& dominators) {
  const BasicBlock* first = nullptr;
  bool several = false;
  for (const User* user : variable.users()) {
    if (!isa<LoadInst, StoreInst>(user))
      continue;
    const BasicBlock* block = cast<Instruction>(user)->getParent();
    if (!dominators.isReachableFromEntry(block))
      return false;
    several |= first && first != block;
    first = block;
  }
  return several;
}

bool isScalarVariable(const AllocaInst& variable) {
  return isAllocaPromotable(&variable) && all_of(variable.users(), [](const User* user) {
           auto* marker = dyn_cast<IntrinsicInst>(user);
           return isa<LoadInst, StoreInst>(user) || (marker && marker->isLifetimeStartOrEnd());
         });
}

std::vector<AllocaInst*> promote(Function& function, ArrayRef<AllocaInst*> variables, const DominatorTree& dominators) {
  std::vector<AllocaInst*> promoted, left;
  for (AllocaInst* variable : variables)
    (isScalarVariable(*variable) && isUsedInSeveralBlocks(*variable, dominators) ? promoted : left).push_back(variable);
  Promotion(function, dominators, promoted).run();
  return left;
}

} // namespace

std::vector<AllocaInst*> promoteAcrossBlocks(Function& function, ArrayRef<AllocaInst*> variables) {
  return promote(function, variables, DominatorTree(function));
}

void promoteVariables(Function& function, ArrayRef<AllocaInst*> variables) {
  DominatorTree dominators(function); // promotion leaves the edges as they are
  PromoteMemToReg(promote(function, variables, dominators), dominators);
}

} // namespace bsgp::ir
