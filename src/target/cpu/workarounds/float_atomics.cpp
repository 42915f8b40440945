// On an ARM without atomic instructions LLVM 19 makes a loop of its own of these, and then forgets to ask whether the
// store in it succeeded (`stlxr wzr, ...`): additions are lost. Of a compare-and-exchange that stands here before it
// makes good code.
//
//   old = load p;  do { was = old;  old = compare_exchange(p, was, was + x) } while (old != was)
#include "target/cpu/workarounds/float_atomics.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/TargetParser/Triple.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/LowerAtomic.h>

namespace bsgp::target {

using namespace llvm;

namespace {

void expand(AtomicRMWInst& atomic) {
  BasicBlock* before = atomic.getParent();
  BasicBlock* after = SplitBlock(before, &atomic);
  auto* turn = BasicBlock::Create(atomic.getContext(), "turn", before->getParent(), after);
  Type* type = atomic.getType();
  Value* place = atomic.getPointerOperand();

  IRBuilder<> builder(before->getTerminator());
  LoadInst* first = builder.CreateAlignedLoad(type, place, atomic.getAlign());
  first->setAtomic(AtomicOrdering::Monotonic);
  before->getTerminator()->setSuccessor(0, turn);

  builder.SetInsertPoint(turn);
  PHINode* was = builder.CreatePHI(type, 2, "was");
  Type* bits = builder.getIntNTy(unsigned(type->getPrimitiveSizeInBits()));
  Value* next = buildAtomicRMWValue(atomic.getOperation(), builder, was, atomic.getValOperand());
  AtomicOrdering ordering = atomic.getOrdering();
  Value* pair = builder.CreateAtomicCmpXchg(place, builder.CreateBitCast(was, bits), builder.CreateBitCast(next, bits),
                                            atomic.getAlign(), ordering,
                                            AtomicCmpXchgInst::getStrongestFailureOrdering(ordering));
  Value* old = builder.CreateBitCast(builder.CreateExtractValue(pair, 0), type);
  builder.CreateCondBr(builder.CreateExtractValue(pair, 1), after, turn);
  was->addIncoming(first, before);
  was->addIncoming(old, turn);
  atomic.replaceAllUsesWith(old);
  atomic.eraseFromParent();
}

} // namespace

void expandFloatAtomics(Module& module) {
  if (!Triple(module.getTargetTriple()).isAArch64())
    return;
  SmallVector<AtomicRMWInst*, 8> found;
  for (Function& function : module)
    for (Instruction& instruction : instructions(function))
      if (auto* atomic = dyn_cast<AtomicRMWInst>(&instruction); atomic && atomic->isFloatingPointOperation())
        found.push_back(atomic);
  for (AtomicRMWInst* atomic : found)
    expand(*atomic);
}

} // namespace bsgp::target
