#include "target/cpu/workarounds/cut_schedules.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>

namespace bsgp::target {

using namespace llvm;

namespace {

constexpr size_t kLong = 1500;     // instructions of a block
constexpr size_t kStretch = 500;   // between two labels
constexpr size_t kMostCopies = 32; // at a label

// LLVM emits a local symbol for this annotation, and nothing else.
void setLabel(Instruction& before) {
  Function* label = Intrinsic::getDeclaration(before.getModule(), Intrinsic::codeview_annotation);
  LLVMContext& context = before.getContext();
  IRBuilder<> builder(&before);
  builder.CreateCall(label, MetadataAsValue::get(context, MDNode::get(context, MDString::get(context, "schedule"))));
}

// True for numbers and vectors of numbers that are computed.
bool isCopyable(const Value& value) {
  const Type* number = value.getType()->getScalarType();
  return !isa<Constant>(value) && (number->isFloatingPointTy() || (number->isIntegerTy() && !number->isIntegerTy(1)));
}

// Returns a copy through memory, which no pass sees through.
Value* copyThroughMemory(Value& value, Instruction& before) {
  Type* type = value.getType();
  IRBuilder<> entry(&*before.getFunction()->getEntryBlock().getFirstInsertionPt());
  AllocaInst* slot = entry.CreateAlloca(type);
  IRBuilder<> builder(&before);
  builder.CreateStore(&value, slot, /*isVolatile=*/true);
  return builder.CreateLoad(type, slot, /*isVolatile=*/true);
}

// From `first` on, as many instructions as a stretch has use copies of the values that are computed before.
void useCopies(BasicBlock::iterator first) {
  BasicBlock::iterator end = first->getParent()->end();
  SmallPtrSet<Value*, 32> computed;
  SmallDenseMap<Value*, Value*, 32> copies; // null beyond the most
  size_t count = 0;
  for (BasicBlock::iterator at = first; at != end && count < kStretch; ++at, ++count) {
    for (Use& operand : at->operands()) {
      if (!isCopyable(*operand) || computed.contains(operand))
        continue;
      auto [copy, is_new] = copies.try_emplace(operand, nullptr);
      if (is_new && copies.size() <= kMostCopies)
        copy->second = copyThroughMemory(*operand, *first);
      if (copy->second != nullptr)
        operand.set(copy->second);
    }
    computed.insert(&*at);
  }
}

void cut(BasicBlock& block) {
  if (size_t(block.sizeWithoutDebug()) < kLong)
    return;
  size_t since = 0;
  for (auto at = block.getFirstInsertionPt(); at != block.end(); ++at) {
    if (++since < kStretch || isa<DbgInfoIntrinsic>(*at) || at->isTerminator())
      continue;
    setLabel(*at);
    useCopies(at);
    since = 0;
  }
}

} // namespace

void cutSchedules(Module& module) {
  for (Function& function : module)
    for (BasicBlock& block : function)
      cut(block);
}

} // namespace bsgp::target
