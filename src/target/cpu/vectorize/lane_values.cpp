#include "target/cpu/vectorize/lane_body.h"

#include "support/check.h"

namespace bsgp::target {

using namespace llvm;

Type* LaneBody::widen(Type* type) const {
  if (auto* structure = dyn_cast<StructType>(type)) {
    SmallVector<Type*, 4> members;
    for (Type* member : structure->elements())
      members.push_back(widen(member));
    return StructType::get(context_, members);
  }
  return FixedVectorType::get(type, width_);
}

Constant* LaneBody::laneNumbers(Type* type, int64_t factor) const {
  SmallVector<Constant*, 16> numbers;
  for (unsigned lane = 0; lane != width_; ++lane)
    numbers.push_back(ConstantInt::get(type, int64_t(lane) * factor, true));
  return ConstantVector::get(numbers);
}

// Returns the first lane's value.
Value* LaneBody::scalar(Value* value) {
  if (const PrivateArray* array = program_.arrays.sideBySide(value))
    return array->of_lanes;
  if (!lanes_.contains(value))
    return value;
  Value* known = scalars_.lookup(value);
  // bits that differ between lanes are shifted out
  if (auto* shift = dyn_cast<BinaryOperator>(value); shift && !known) {
    Instruction* made = shift->clone();
    for (Use& use : made->operands())
      use.set(scalar(use));
    made->dropPoisonGeneratingFlags();
    return builder_.Insert(made);
  }
  BSGP_CHECK(known, "%s has no scalar form", value->getName().str().c_str());
  return known;
}

Value* LaneBody::vector(Value* value) {
  if (Value* known = vectors_.lookup(value))
    return known;
  if (auto* constant = dyn_cast<Constant>(value); constant && !isa<StructType>(value->getType()))
    return ConstantVector::getSplat(ElementCount::getFixed(width_), constant);
  return vectors_[value] = spread(scalar(value), shapes_.of(value));
}

// Spreads the value right behind the scalar, so that it is there wherever the scalar is; values that the loop does
// not change, before it.
Value* LaneBody::spread(Value* value, LaneShape shape) {
  bool has_parts = value->getType()->isStructTy();
  if (auto* constant = dyn_cast<Constant>(value); constant && shape.kind == LaneShape::Uniform && !has_parts)
    return ConstantVector::getSplat(ElementCount::getFixed(width_), constant);
  IRBuilder<> builder(context_);
  auto* instruction = dyn_cast<Instruction>(value);
  if (!instruction || isa<AllocaInst>(instruction) || instruction->isTerminator())
    builder.SetInsertPoint(lanes_.preheader->getTerminator());
  else if (isa<PHINode>(instruction))
    builder.SetInsertPoint(instruction->getParent(), instruction->getParent()->getFirstInsertionPt());
  else
    builder.SetInsertPoint(instruction->getParent(), std::next(instruction->getIterator()));
  if (has_parts)
    return spreadParts(builder, value);
  Value* all = builder.CreateVectorSplat(width_, value);
  if (shape.kind != LaneShape::Linear)
    return all;
  if (value->getType()->isPointerTy())
    return builder.CreateGEP(builder.getInt8Ty(), value, laneNumbers(builder.getInt64Ty(), shape.stride));
  return builder.CreateAdd(all, laneNumbers(value->getType(), shape.stride));
}

// ---- structures, such as a sum and whether it overflowed: their fields are vectors

Value* LaneBody::spreadParts(IRBuilder<>& builder, Value* value) {
  Value* all = PoisonValue::get(widen(value->getType()));
  for (unsigned part = 0; part != value->getType()->getStructNumElements(); ++part)
    all = builder.CreateInsertValue(all, builder.CreateVectorSplat(width_, builder.CreateExtractValue(value, part)),
                                    part);
  return all;
}

Value* LaneBody::choose(Value* condition, Value* yes, Value* no, const Twine& name) {
  if (!yes->getType()->isStructTy() || !condition->getType()->isVectorTy())
    return builder_.CreateSelect(condition, yes, no, name);
  Value* chosen = PoisonValue::get(yes->getType());
  for (unsigned part = 0; part != yes->getType()->getStructNumElements(); ++part)
    chosen = builder_.CreateInsertValue(
        chosen,
        builder_.CreateSelect(condition, builder_.CreateExtractValue(yes, part), builder_.CreateExtractValue(no, part)),
        part);
  return chosen;
}

} // namespace bsgp::target
