#include "bsp/promote_locals.h"

#include <algorithm>
#include <vector>

#include <llvm/ADT/MapVector.h>
#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Transforms/Utils/PromoteMemToReg.h>
#include <llvm/Transforms/Utils/SSAUpdater.h>

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
    for (BasicBlock* block : ReversePostOrderTraversal<Function*>(&function)) {
      unsigned place = places_.size();
      places_[block] = place;
      for (Instruction& instruction : *block) {
        ir::Op op = ir::opOf(instruction);
        if (ir::isBarrier(op))
          starts_.push_back(block);
        flows_ |= op == ir::Op::Decide;
        if (isa<LoadInst, StoreInst>(instruction))
          supersteps_[&instruction] = starts_.size() - 1;
      }
    }
    if (!flows_)
      return;
    dominators_.recalculate(function);
    loops_.analyze(dominators_);
  }

  unsigned place(const BasicBlock* block) const { return places_.lookup(block); }

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
  DenseMap<const BasicBlock*, unsigned> places_;
  bool flows_ = false; // the host decides which superstep comes next
  DominatorTree dominators_;
  LoopInfo loops_;
};

class Promotion {
public:
  explicit Promotion(AllocaInst& variable) : variable_(variable) {
    ssa_.Initialize(variable.getAllocatedType(), variable.getName());
    for (User* user : variable.users())
      if (isa<LoadInst, StoreInst>(user))
        accesses_[cast<Instruction>(user)->getParent()].push_back(cast<Instruction>(user));
  }

  bool inOneBlock() const { return accesses_.size() < 2; }

  // It has no value where its first superstep starts: the way back from a load ends there. Each load leaves its value
  // with its block; in this order the next one gets no further.
  void run(const AccessOrder& order, BasicBlock& start) {
    ssa_.AddAvailableValue(&start, UndefValue::get(variable_.getAllocatedType()));
    for (auto& [block, accesses] : accesses_)
      visitBlock(*block, accesses);
    sort(live_in_, [&](LoadInst* a, LoadInst* b) { return order.place(a->getParent()) < order.place(b->getParent()); });
    for (LoadInst* load : live_in_)
      replace(*load, load->getParent() == &start ? *UndefValue::get(load->getType())
                                                 : *ssa_.GetValueInMiddleOfBlock(load->getParent()));
    for (auto [load, value] : replaced_) // what was made since then may still name one
      load->replaceAllUsesWith(valueOf(value));
    for (User* user : make_early_inc_range(variable_.users()))
      cast<Instruction>(user)->eraseFromParent();
    variable_.eraseFromParent();
  }

private:
  void visitBlock(BasicBlock& block, SmallVectorImpl<Instruction*>& accesses) {
    std::sort(accesses.begin(), accesses.end(), [](Instruction* a, Instruction* b) { return a->comesBefore(b); });
    Value* now = nullptr;
    for (Instruction* access : accesses) {
      auto* load = dyn_cast<LoadInst>(access);
      if (!load)
        now = cast<StoreInst>(access)->getValueOperand();
      else if (now)
        replace(*load, *now);
      else
        live_in_.push_back(load);
    }
    if (now)
      ssa_.AddAvailableValue(&block, now);
  }

  void replace(LoadInst& load, Value& value) {
    Value* known = valueOf(&value);
    if (known == &load) // only a loop of its own leads here: it is never set
      known = UndefValue::get(load.getType());
    load.replaceAllUsesWith(known);
    replaced_[&load] = known;
  }

  Value* valueOf(Value* value) const {
    for (auto known = replaced_.find(value); known != replaced_.end(); known = replaced_.find(value))
      value = known->second;
    return value;
  }

  AllocaInst& variable_;
  SSAUpdater ssa_;
  MapVector<BasicBlock*, SmallVector<Instruction*, 4>> accesses_;
  SmallVector<LoadInst*, 8> live_in_; // where no store stands before them in their block
  MapVector<Value*, Value*> replaced_;
};

// Droppable uses and markers of lifetimes say nothing of a value.
void dropMarkers(AllocaInst& variable) {
  for (User* user : make_early_inc_range(variable.users()))
    if (auto* marker = dyn_cast<IntrinsicInst>(user); marker && marker->isLifetimeStartOrEnd())
      marker->eraseFromParent();
}

bool isScalarVariable(const AllocaInst& variable) {
  return isAllocaPromotable(&variable) && all_of(variable.users(), [](const User* user) {
           auto* marker = dyn_cast<IntrinsicInst>(user);
           return isa<LoadInst, StoreInst>(user) || (marker && marker->isLifetimeStartOrEnd());
         });
}

} // namespace

PreservedAnalyses PromoteLocalsPass::run(Function& function, FunctionAnalysisManager&) {
  const AccessOrder order(function);
  for (Instruction& instruction : make_early_inc_range(function.getEntryBlock())) {
    auto* variable = dyn_cast<AllocaInst>(&instruction);
    if (!variable || !isScalarVariable(*variable))
      continue;
    BasicBlock* start = order.start(*variable);
    Promotion promotion(*variable);
    if (!start || promotion.inOneBlock())
      continue;
    dropMarkers(*variable);
    promotion.run(order, *start);
  }
  PreservedAnalyses preserved;
  preserved.preserveSet<CFGAnalyses>();
  return preserved;
}

} // namespace bsgp::bsp
