#include "bsp/region.h"

#include <llvm/IR/Constants.h>

#include "support/check.h"

namespace bsgp::bsp {

using namespace llvm;

RegionCopy::RegionCopy(ArrayRef<BasicBlock*> blocks, const BasicBlock* exit, Function& target,
                       function_ref<bool(const Instruction&)> dropped) {
  for (BasicBlock* block : blocks)
    copies_[block] = BasicBlock::Create(target.getContext(), block->getName(), &target);
  for (BasicBlock* block : blocks) {
    auto* copy = cast<BasicBlock>(copies_[block]);
    for (Instruction& original : *block) {
      if (dropped(original) || (block == exit && original.isTerminator()))
        continue;
      Instruction* instruction = original.clone();
      instruction->insertInto(copy, copy->end());
      instruction->setName(original.getName());
      copies_[&original] = instruction;
      instructions_.push_back({&original, instruction});
    }
  }
  entry_ = cast<BasicBlock>(copies_[blocks.front()]);
  exit_ = exit ? cast<BasicBlock>(copies_[exit]) : nullptr;
}

Value* RegionCopy::lookup(Value* original) const {
  if (isa<Instruction, BasicBlock>(original))
    return copies_.lookup(original);
  return original;
}

void RegionCopy::connect(function_ref<Value*(Instruction&)> outside) {
  for (auto [original, copy] : instructions_) {
    for (Use& use : copy->operands()) {
      Value* known = lookup(use.get());
      if (!known && isa<Instruction>(use.get()))
        known = outside(*cast<Instruction>(use.get()));
      BSGP_CHECK(known, "an operand of %s has no value in %s", copy->getOpcodeName(),
                 copy->getFunction()->getName().str().c_str());
      use.set(known);
    }
    if (auto* phi = dyn_cast<PHINode>(copy))
      for (unsigned i = 0; i < phi->getNumIncomingValues(); ++i)
        phi->setIncomingBlock(i, cast<BasicBlock>(lookup(phi->getIncomingBlock(i))));
  }
}

Instruction* RegionCopy::recompute(Instruction& original, Instruction& before) {
  Instruction* copy = original.clone();
  for (Use& use : copy->operands()) {
    Value* known = lookup(use.get());
    BSGP_CHECK(known, "an operand of %s cannot be recomputed in %s", copy->getOpcodeName(),
               before.getFunction()->getName().str().c_str());
    use.set(known);
  }
  copy->insertBefore(&before);
  copy->setName(original.getName());
  copies_[&original] = copy;
  return copy;
}

} // namespace bsgp::bsp
