#include "ir/loop_marks.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/Metadata.h>

namespace bsgp::ir {

using namespace llvm;

namespace {

const MDNode* markOf(const Loop& loop) {
  SmallVector<BasicBlock*, 4> latches;
  loop.getLoopLatches(latches);
  for (BasicBlock* latch : latches)
    if (MDNode* node = latch->getTerminator()->getMetadata(LLVMContext::MD_loop))
      if (const MDNode* mark = findOptionMDForLoopID(node, kWavefrontLoop))
        return mark;
  return nullptr;
}

SourcePos positionAt(const MDNode& mark, unsigned operand) {
  return static_cast<SourcePos>(mdconst::extract<ConstantInt>(mark.getOperand(operand))->getZExtValue());
}

} // namespace

MDNode* wavefrontMark(LLVMContext& context, SourceRange place) {
  auto number = [&](SourcePos position) {
    return ConstantAsMetadata::get(ConstantInt::get(Type::getInt32Ty(context), position));
  };
  return MDNode::get(context, {MDString::get(context, kWavefrontLoop), number(place.begin), number(place.end)});
}

void markLatches(ArrayRef<BasicBlock*> latches, ArrayRef<Metadata*> properties) {
  if (latches.empty())
    return;
  SmallVector<Metadata*, 2> operands{nullptr};
  append_range(operands, properties);
  MDNode* node = MDNode::getDistinct(latches.front()->getContext(), operands);
  node->replaceOperandWith(0, node);
  for (BasicBlock* latch : latches)
    latch->getTerminator()->setMetadata(LLVMContext::MD_loop, node);
}

bool isWavefront(const Loop& loop) {
  return markOf(loop);
}

SourceRange placeOfWavefront(const Loop& loop) {
  const MDNode* mark = markOf(loop);
  return mark ? SourceRange{positionAt(*mark, 1), positionAt(*mark, 2)} : SourceRange{};
}

} // namespace bsgp::ir
