#include "target/cpu/passes/atomic_tests.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include "support/check.h"

namespace bsgp::target {

using namespace llvm;

namespace {

// True for an atomic operation that may change nothing at run time.
bool isWorthTesting(const Instruction& atomic) {
  if (atomic.isVolatile())
    return false;
  if (auto* exchange = dyn_cast<AtomicCmpXchgInst>(&atomic))
    return exchange->getMergedOrdering() == AtomicOrdering::Monotonic;
  auto* operation = dyn_cast<AtomicRMWInst>(&atomic);
  if (!operation || operation->getOrdering() != AtomicOrdering::Monotonic)
    return false;
  switch (operation->getOperation()) {
  case AtomicRMWInst::Min:
  case AtomicRMWInst::Max:
  case AtomicRMWInst::UMin:
  case AtomicRMWInst::UMax:
  case AtomicRMWInst::And:
  case AtomicRMWInst::Or:
    return true;
  default:
    return false;
  }
}

// `operand`: its first one behind the place.
Value* changes(IRBuilder<>& builder, const Instruction& atomic, Value* found, Value* operand) {
  if (isa<AtomicCmpXchgInst>(atomic))
    return builder.CreateICmpEQ(found, operand);
  switch (cast<AtomicRMWInst>(atomic).getOperation()) {
  case AtomicRMWInst::Min:
    return builder.CreateICmpSLT(operand, found);
  case AtomicRMWInst::Max:
    return builder.CreateICmpSGT(operand, found);
  case AtomicRMWInst::UMin:
    return builder.CreateICmpULT(operand, found);
  case AtomicRMWInst::UMax:
    return builder.CreateICmpUGT(operand, found);
  case AtomicRMWInst::And:
    return builder.CreateICmpNE(builder.CreateAnd(found, operand), found);
  default:
    BSGP_CHECK(cast<AtomicRMWInst>(atomic).getOperation() == AtomicRMWInst::Or, "operation %d always changes its place",
               int(cast<AtomicRMWInst>(atomic).getOperation()));
    return builder.CreateICmpNE(builder.CreateOr(found, operand), found);
  }
}

Align alignOfAtomic(const Instruction& atomic) {
  auto* exchange = dyn_cast<AtomicCmpXchgInst>(&atomic);
  return exchange ? exchange->getAlign() : cast<AtomicRMWInst>(atomic).getAlign();
}

void test(Instruction& atomic) {
  IRBuilder<> builder(&atomic);
  Value* operand = atomic.getOperand(1);
  LoadInst* found = builder.CreateAlignedLoad(operand->getType(), atomic.getOperand(0), alignOfAtomic(atomic), "found");
  found->setAtomic(AtomicOrdering::Monotonic);
  Value* changed = changes(builder, atomic, found, operand);
  Value* unchanged = found;
  if (isa<AtomicCmpXchgInst>(atomic)) {
    unchanged = builder.CreateInsertValue(PoisonValue::get(atomic.getType()), found, 0);
    unchanged = builder.CreateInsertValue(unchanged, builder.getFalse(), 1);
  }
  BasicBlock* before = atomic.getParent();
  Instruction* end = SplitBlockAndInsertIfThen(changed, &atomic, false);
  BasicBlock* after = atomic.getParent();
  atomic.moveBefore(end);
  if (atomic.use_empty())
    return;
  PHINode* old = PHINode::Create(atomic.getType(), 2, "old", after->begin());
  atomic.replaceAllUsesWith(old);
  old->addIncoming(unchanged, before);
  old->addIncoming(&atomic, end->getParent());
}

} // namespace

PreservedAnalyses AtomicTestsPass::run(Function& function, FunctionAnalysisManager&) {
  SmallVector<Instruction*, 8> found;
  for (Instruction& instruction : instructions(function))
    if (isWorthTesting(instruction))
      found.push_back(&instruction);
  for (Instruction* atomic : found)
    test(*atomic);
  return found.empty() ? PreservedAnalyses::all() : PreservedAnalyses::none();
}

} // namespace bsgp::target
