// Shapes of arithmetic, conversions, comparisons and addresses.
#include <llvm/IR/GetElementPtrTypeIterator.h>
#include <llvm/IR/Operator.h>

#include "target/cpu/vectorize/lane_shapes.h"

namespace bsgp::target {

using namespace llvm;

namespace {

constexpr unsigned kStrideBits = 31;

bool wrapsNever(const BinaryOperator& operation) {
  auto* overflowing = dyn_cast<OverflowingBinaryOperator>(&operation);
  return !overflowing || overflowing->hasNoSignedWrap();
}

} // namespace

LaneShape LaneShape::linear(int64_t stride, uint64_t multiple, bool no_wrap) {
  if (!isIntN(kStrideBits, stride))
    return LaneShape::varying();
  if (!stride)
    return {Uniform, true, 0, multiple};
  return {Linear, no_wrap, stride, multiple};
}

// Do all lanes compare alike, as the bound is never a number between two of them?
bool LaneShapes::isSameSide(const ICmpInst& compare) const {
  LaneShape lanes = of(compare.getOperand(0)), bound = of(compare.getOperand(1));
  ICmpInst::Predicate predicate = compare.getPredicate();
  uint64_t multiple = bound.multiple;
  if (predicate == ICmpInst::ICMP_SGT || predicate == ICmpInst::ICMP_SLE || predicate == ICmpInst::ICMP_UGT ||
      predicate == ICmpInst::ICMP_ULE) { // x > c is x >= c + 1
    auto* constant = dyn_cast<ConstantInt>(compare.getOperand(1));
    multiple = constant ? largestPowerIn((constant->getValue() + 1).getLimitedValue()) : 1;
  } else if (compare.isEquality()) {
    return false;
  }
  return bound.kind == LaneShape::Uniform && lanes.no_wrap && liesWithin(lanes, multiple);
}

// No multiple of `size`, a power of two, stands between the first lane's value and the others'.
bool LaneShapes::liesWithin(LaneShape shape, uint64_t size) const {
  return shape.kind == LaneShape::Linear && shape.stride > 0 &&
         uint64_t(shape.stride) * width_ <= std::min(shape.multiple, size);
}

// Are the bits from number `bit` up the same for all lanes?
bool LaneShapes::isSameAbove(const Value& value, uint64_t bit) const {
  if (bit > 31)
    return false;
  if (liesWithin(of(&value), uint64_t(1) << bit))
    return true;
  auto* shift = dyn_cast<BinaryOperator>(&value);
  auto* by = shift && shift->getOpcode() == Instruction::LShr ? dyn_cast<ConstantInt>(shift->getOperand(1)) : nullptr;
  return by && isSameAbove(*shift->getOperand(0), bit + by->getLimitedValue(64));
}

LaneShape LaneShapes::binary(const BinaryOperator& operation) const {
  LaneShape a = of(operation.getOperand(0)), b = of(operation.getOperand(1));
  if (auto* bits = dyn_cast<ConstantInt>(operation.getOperand(1))) { // the low bits become the same
    bool clears = operation.getOpcode() == Instruction::And, sets = operation.getOpcode() == Instruction::Or;
    unsigned from = clears ? bits->getValue().countr_zero() : sets ? bits->getValue().countr_one() : 0;
    if (from && isSameAbove(*operation.getOperand(0), from))
      return LaneShape::uniform();
  }
  if (a.kind == LaneShape::Varying || b.kind == LaneShape::Varying)
    return LaneShape::varying();
  bool no_wrap = a.no_wrap && b.no_wrap && (wrapsNever(operation) || isBesideRemainder(operation));
  auto* constant = dyn_cast<ConstantInt>(operation.getOperand(1));
  uint64_t low = std::min(a.multiple, b.multiple);
  switch (operation.getOpcode()) {
  case Instruction::Or:
    if (!llvm::cast<PossiblyDisjointInst>(&operation)->isDisjoint())
      break;
    [[fallthrough]];
  case Instruction::Add:
    return LaneShape::linear(a.stride + b.stride, low, no_wrap);
  case Instruction::Sub:
    return LaneShape::linear(a.stride - b.stride, low, no_wrap);
  case Instruction::Mul:
    if (constant && constant->getValue().isSignedIntN(kStrideBits) && constant->getSExtValue() > 0)
      return LaneShape::linear(a.stride * constant->getSExtValue(), std::min(a.multiple * b.multiple, kLargestMultiple),
                               no_wrap);
    if (constant && constant->isMinusOne())
      return LaneShape::linear(-a.stride, a.multiple, no_wrap);
    break;
  case Instruction::Xor:
    if (constant && constant->isMinusOne()) // -1 - x
      return LaneShape::linear(-a.stride, 1, a.no_wrap);
    break;
  case Instruction::Shl:
    if (constant && constant->getValue().ult(16))
      return LaneShape::linear(a.stride << constant->getZExtValue(),
                               std::min(a.multiple << constant->getZExtValue(), kLargestMultiple), no_wrap);
    break;
  case Instruction::URem:
    if (constant && constant->getValue().isPowerOf2() && liesWithin(a, constant->getLimitedValue()))
      return LaneShape::linear(a.stride, 1, true);
    break;
  case Instruction::And:
    if (constant && (constant->getValue() + 1).isPowerOf2() && liesWithin(a, constant->getLimitedValue() + 1))
      return LaneShape::linear(a.stride, 1, true);
    break;
  case Instruction::UDiv:
    if (constant && constant->getValue().isPowerOf2() &&
        isSameAbove(*operation.getOperand(0), constant->getValue().logBase2()))
      return LaneShape::uniform();
    break;
  case Instruction::LShr:
    if (constant && isSameAbove(*operation.getOperand(0), constant->getLimitedValue()))
      return LaneShape::uniform();
    break;
  default:
    break;
  }
  bool uniform = a.kind == LaneShape::Uniform && b.kind == LaneShape::Uniform;
  return uniform ? LaneShape::uniform() : LaneShape::varying();
}

LaneShape LaneShapes::cast(const CastInst& cast) const {
  LaneShape from = of(cast.getOperand(0));
  if (from.kind != LaneShape::Linear)
    return from.kind == LaneShape::Uniform ? LaneShape::uniform() : from;
  switch (cast.getOpcode()) {
  case Instruction::Trunc: {
    bool kept = from.no_wrap && llvm::cast<TruncInst>(&cast)->hasNoSignedWrap();
    from.no_wrap = kept;
    return cast.getType()->getScalarSizeInBits() < 8 ? LaneShape::varying() : from;
  }
  case Instruction::SExt:
    return from.no_wrap ? from : LaneShape::varying();
  case Instruction::ZExt:
    return from.no_wrap && cast.hasNonNeg() ? from : LaneShape::varying();
  case Instruction::AddrSpaceCast:
    return from;
  default:
    return LaneShape::varying();
  }
}

LaneShape LaneShapes::address(const GetElementPtrInst& address) const {
  LaneShape sum = of(address.getPointerOperand());
  if (sum.kind == LaneShape::Varying || address.getType()->isVectorTy())
    return LaneShape::varying();
  int64_t stride = sum.stride;
  for (auto type = gep_type_begin(address), end = gep_type_end(address); type != end; ++type) {
    if (type.isStruct())
      continue;
    LaneShape index = of(type.getOperand());
    bool narrow = type.getOperand()->getType()->getScalarSizeInBits() < 64;
    if (index.kind == LaneShape::Varying || (index.kind == LaneShape::Linear && narrow && !index.no_wrap))
      return LaneShape::varying();
    stride += index.stride * int64_t(type.getSequentialElementStride(layout_).getFixedValue());
  }
  return LaneShape::linear(stride, 1, true);
}

} // namespace bsgp::target
