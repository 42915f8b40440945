// A linear integer made wider, as a signed number.
//
// The scalar that stands for all lanes is the first lane's value, and that lane need not run: it may have wrapped
// although the lanes that run are within the type (a loop that it left goes on; `r - a - b` with r = 0). So its
// extension is not always what others' extensions continue. If the value is a sum, each part is extended: all parts
// are within their type in lanes that run, and the wide sum does not wrap in any. Else, if there is a mask, the first
// lane that runs is extended and the steps to it are subtracted:
//
//   f = first of the mask;  wide(s) = sext(s + f * stride) - f * stride
#include <llvm/IR/Operator.h>

#include "target/cpu/vectorize/lane_body.h"

namespace bsgp::target {

using namespace llvm;

namespace {

constexpr unsigned kDepth = 4; // of sums of sums

// Sums of parts that are within the type wherever the sum is.
bool isSum(const Value* value) {
  auto* operation = dyn_cast<BinaryOperator>(value);
  if (!operation)
    return false;
  switch (operation->getOpcode()) {
  case Instruction::Add:
  case Instruction::Sub:
  case Instruction::Mul:
  case Instruction::Shl:
    return operation->hasNoSignedWrap();
  case Instruction::Or:
    return cast<PossiblyDisjointInst>(operation)->isDisjoint();
  default:
    return false;
  }
}

bool isNotNegative(const Value* value) {
  auto* constant = dyn_cast<ConstantInt>(value);
  return constant && !constant->isNegative();
}

} // namespace

// Is the first lane's value within its type if any other lane's is? So it is of ranks, which are in order and not
// negative, and of what is made of them by adding or multiplying with what is not negative.
bool LaneBody::isFirstLaneExact(const Value* value, unsigned depth) const {
  LaneShape shape = shapes_.of(value);
  if (!lanes_.contains(value) || shape.kind == LaneShape::Uniform)
    return false;
  if (const LaneCounter* counter = lanes_.counter(value))
    return counter->no_wrap && counter->step > 0;
  auto* operation = cast<Instruction>(value);
  switch (operation->getOpcode()) {
  case Instruction::And: // these are less than a power of two in all lanes
  case Instruction::URem:
    return true;
  case Instruction::Add:
  case Instruction::Or:
  case Instruction::Mul:
  case Instruction::Shl:
    return depth < kDepth && isSum(value) && isNotNegative(operation->getOperand(1)) &&
           isFirstLaneExact(operation->getOperand(0), depth + 1);
  default:
    return false;
  }
}

// Null if the value is no such sum.
Value* LaneBody::widenedSum(Value* value, Type* type, unsigned depth) {
  if (Value* wide = wide_.lookup(value))
    return builder_.CreateSExtOrTrunc(wide, type);
  if (!lanes_.contains(value) || shapes_.isUniform(value) || isFirstLaneExact(value))
    return builder_.CreateSExt(scalar(value), type);
  if (depth == kDepth || !(isSum(value) || shapes_.isBesideRemainder(*value)))
    return nullptr;
  auto* operation = cast<BinaryOperator>(value);
  Value* left = widenedSum(operation->getOperand(0), type, depth + 1);
  if (!left)
    return nullptr;
  if (operation->getOpcode() == Instruction::Shl)
    return builder_.CreateShl(left, builder_.CreateZExt(scalar(operation->getOperand(1)), type));
  Value* right = widenedSum(operation->getOperand(1), type, depth + 1);
  if (!right)
    return nullptr;
  bool disjoint = operation->getOpcode() == Instruction::Or;
  return builder_.CreateBinOp(disjoint ? Instruction::Add : operation->getOpcode(), left, right);
}

Value* LaneBody::widened(Value* value, Type* type, Value* mask) {
  if (Value* sum = widenedSum(value, type))
    return sum;
  Value* first = scalar(value);
  if (!mask)
    return builder_.CreateSExt(first, type);
  Value *lane = firstOf(mask), *stride = builder_.getInt64(shapes_.of(value).stride);
  Value* steps = builder_.CreateMul(builder_.CreateZExt(lane, builder_.getInt64Ty()), stride);
  Value* running = builder_.CreateAdd(first, builder_.CreateTrunc(steps, first->getType()));
  return builder_.CreateSub(builder_.CreateSExt(running, type), builder_.CreateSExtOrTrunc(steps, type));
}

} // namespace bsgp::target
