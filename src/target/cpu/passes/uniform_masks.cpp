// The loop vectorizer makes masks of all conditions, also of those that are the same for all threads. A masked store
// that stores nothing costs more than a branch that is always taken, and a hundred times as much where its page has
// never been touched.
//
//   masked.store(v, p, splat c)            br c, then, else
//   masked.store(w, q, splat c)     =>     then: store v, p; store w, q
//
// Requires: runs when the loop vectorizer is done, and whoever wants its loops in one block.
#include "target/cpu/passes/uniform_masks.h"

#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

namespace bsgp::target {

using namespace llvm;
using namespace llvm::PatternMatch;

namespace {

struct Condition {
  Value* value = nullptr; // null: there is none
  bool negated = false;
  bool operator==(const Condition&) const = default;
};

// Stores with one condition, and nothing between them that touches memory.
struct Group {
  Condition condition;
  SmallVector<IntrinsicInst*, 16> stores;
};

// The first lane of a vector that has one value in all lanes. InstCombine negates a condition before it fills the lanes.
Condition conditionOf(const Value* mask) {
  Value *value, *first;
  if (Value* splat = getSplatValue(mask))
    return {splat, false};
  bool fills = match(mask, m_Shuffle(m_Value(first), m_Value(), m_ZeroMask()));
  if (fills && match(first, m_Not(m_InsertElt(m_Value(), m_Value(value), m_ZeroInt()))))
    return {value, true};
  return {};
}

Condition uniformMask(const Instruction& instruction) {
  auto* call = dyn_cast<IntrinsicInst>(&instruction);
  if (!call || call->getIntrinsicID() != Intrinsic::masked_store)
    return {};
  Value* mask = call->getArgOperand(3);
  return isa<Constant>(mask) ? Condition() : conditionOf(mask);
}

SmallVector<Group, 4> groupsOf(Function& function) {
  SmallVector<Group, 4> groups;
  for (BasicBlock& block : function) {
    bool open = false; // the last group
    for (Instruction& instruction : block) {
      if (!instruction.mayReadOrWriteMemory())
        continue;
      Condition condition = uniformMask(instruction);
      if (condition.value && !(open && groups.back().condition == condition))
        groups.push_back({condition, {}});
      open = condition.value;
      if (condition.value)
        groups.back().stores.push_back(cast<IntrinsicInst>(&instruction));
    }
  }
  return groups;
}

void branchAround(const Group& group) {
  IRBuilder<> builder(group.stores.back());
  Value* condition = builder.CreateFreeze(group.condition.value);
  if (group.condition.negated)
    condition = builder.CreateNot(condition);
  builder.SetInsertPoint(SplitBlockAndInsertIfThen(condition, group.stores.back(), false));
  for (IntrinsicInst* masked : group.stores) {
    Align align = cast<ConstantInt>(masked->getArgOperand(2))->getAlignValue();
    StoreInst* store = builder.CreateAlignedStore(masked->getArgOperand(0), masked->getArgOperand(1), align);
    store->copyMetadata(*masked, {LLVMContext::MD_access_group});
    masked->eraseFromParent();
  }
}

} // namespace

PreservedAnalyses UniformMasksPass::run(Function& function, FunctionAnalysisManager&) {
  auto groups = groupsOf(function);
  for (const Group& group : groups)
    branchAround(group);
  return groups.empty() ? PreservedAnalyses::all() : PreservedAnalyses::none();
}

} // namespace bsgp::target
