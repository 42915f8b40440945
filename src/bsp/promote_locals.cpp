#include "bsp/promote_locals.h"

#include <algorithm>
#include <optional>

#include <llvm/ADT/MapVector.h>
#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Transforms/Utils/PromoteMemToReg.h>
#include <llvm/Transforms/Utils/SSAUpdater.h>

#include "irgen/contract.h"

namespace bsgp::bsp {

using namespace llvm;

namespace {

class Promotion {
public:
  explicit Promotion(AllocaInst& variable) : variable_(variable) {
    ssa_.Initialize(variable.getAllocatedType(), variable.getName());
    for (User* user : variable.users())
      if (isa<LoadInst, StoreInst>(user))
        accesses_[cast<Instruction>(user)->getParent()].push_back(cast<Instruction>(user));
  }

  bool inOneBlock() const { return accesses_.size() < 2; }

  void run() {
    for (auto& [block, accesses] : accesses_)
      visitBlock(*block, accesses);
    for (LoadInst* load : live_in_)
      replace(*load, *ssa_.GetValueInMiddleOfBlock(load->getParent()));
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

// Barriers stand outside of control flow: in this order all blocks of a superstep come before those of the next one.
// Accesses in blocks that are never reached are in none.
DenseMap<const Instruction*, unsigned> superstepsOfAccesses(Function& function) {
  DenseMap<const Instruction*, unsigned> supersteps;
  unsigned now = 0;
  for (BasicBlock* block : ReversePostOrderTraversal<Function*>(&function))
    for (Instruction& instruction : *block) {
      ir::Op op = ir::opOf(instruction);
      now += op == ir::Op::Barrier || op == ir::Op::Reassign;
      if (isa<LoadInst, StoreInst>(instruction))
        supersteps[&instruction] = now;
    }
  return supersteps;
}

bool staysInOne(const AllocaInst& variable, const DenseMap<const Instruction*, unsigned>& supersteps) {
  std::optional<unsigned> of_all;
  return all_of(variable.users(), [&](const User* user) {
    if (!isa<LoadInst, StoreInst>(user))
      return true;
    auto known = supersteps.find(cast<Instruction>(user));
    if (known == supersteps.end())
      return false;
    if (!of_all)
      of_all = known->second;
    return known->second == *of_all;
  });
}

} // namespace

PreservedAnalyses PromoteLocalsPass::run(Function& function, FunctionAnalysisManager&) {
  const DenseMap<const Instruction*, unsigned> supersteps = superstepsOfAccesses(function);
  for (Instruction& instruction : make_early_inc_range(function.getEntryBlock())) {
    auto* variable = dyn_cast<AllocaInst>(&instruction);
    if (!variable || !isScalarVariable(*variable) || !staysInOne(*variable, supersteps))
      continue;
    Promotion promotion(*variable);
    if (promotion.inOneBlock())
      continue;
    dropMarkers(*variable);
    promotion.run();
  }
  PreservedAnalyses preserved;
  preserved.preserveSet<CFGAnalyses>();
  return preserved;
}

} // namespace bsgp::bsp
