// Addresses that differ from lane to lane because each lane chooses, as at the border of an image:
//
//   u[max(x - 1, 0)]      lanes whose x - 1 is at least 0 are side by side, others at u[0]
//   u[x > 0 ? i - 1 : i]  side by side for both choices; so is u[i - (x > 0)]
//
// Sums, products with constants and conversions are seen through if they do not wrap, so that an address is a sum in
// 64 bits; each min, max and ?: in it gives two choices. The conditions alone tell which lanes make a choice: the
// others' results for it are not used.
#include <llvm/ADT/MapVector.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Operator.h>

#include "target/cpu/vectorize/lane_shapes.h"

namespace bsgp::target {

using namespace llvm;

namespace {

constexpr unsigned kDepth = 8;
constexpr size_t kMostWays = 4;
constexpr unsigned kFactorBits = 31;

// Is the operation on numbers of 64 bits the same, in lanes that run?
bool isExact(const Instruction& operation) {
  if (operation.getType()->getIntegerBitWidth() == 64)
    return true;
  if (auto* bits = dyn_cast<PossiblyDisjointInst>(&operation))
    return bits->isDisjoint();
  if (operation.getOpcode() == Instruction::Xor)
    return true;
  auto* overflowing = dyn_cast<OverflowingBinaryOperator>(&operation);
  return overflowing && overflowing->hasNoSignedWrap();
}

// 0 or 1, or 0 or -1, as a condition says.
bool isFlag(const Instruction& instruction) {
  return isa<SExtInst, ZExtInst>(instruction) && instruction.getOperand(0)->getType()->isIntegerTy(1);
}

Value* chosenOf(Instruction& choice, bool first) {
  if (isFlag(choice))
    return ConstantInt::getSigned(choice.getType(), !first ? 0 : isa<SExtInst>(choice) ? -1 : 1);
  return choice.getOperand(isa<SelectInst>(choice) ? (first ? 1 : 2) : (first ? 0 : 1));
}

} // namespace

LaneShapes::Ways LaneShapes::waysTo(Value& pointer, int64_t size, bool asks) const {
  Ways ways(1);
  auto fits = [&](const LaneWay& way) { return (way.stride == 0 || way.stride == size) && (asks || !way.may_wrap); };
  bool found = addPointer(ways, pointer) && ways.size() > 1 && all_of(ways, fits) &&
               (!asks || any_of(ways, [](const LaneWay& way) { return way.stride != 0; }));
  return found ? ways : Ways();
}

bool LaneShapes::addPointer(Ways& ways, Value& pointer, unsigned depth) const {
  if (LaneShape shape = of(&pointer); shape.kind != LaneShape::Varying) {
    for (LaneWay& way : ways)
      way.base = &pointer, way.stride += shape.stride;
    return shape.kind != LaneShape::Unknown;
  }
  if (depth == kDepth || pointer.getType()->isVectorTy())
    return false;
  if (auto* choice = dyn_cast<SelectInst>(&pointer))
    return addChoice(ways, *choice, [&](Ways& to, Value& chosen) { return addPointer(to, chosen, depth + 1); });
  auto* gep = dyn_cast<GetElementPtrInst>(&pointer);
  APInt constant(64, 0);
  MapVector<Value*, APInt> indices;
  if (!gep || !gep->collectOffset(layout_, 64, indices, constant) || !constant.isSignedIntN(kFactorBits) ||
      !addPointer(ways, *gep->getPointerOperand(), depth + 1))
    return false;
  for (LaneWay& way : ways)
    way.constant += constant.getSExtValue();
  return all_of(indices, [&](const auto& index) {
    return index.second.isSignedIntN(kFactorBits) && addTerm(ways, *index.first, index.second.getSExtValue(), 0);
  });
}

bool LaneShapes::addTerm(Ways& ways, Value& value, int64_t factor, unsigned depth) const {
  LaneShape shape = of(&value);
  unsigned bits = value.getType()->getIntegerBitWidth();
  if (bits > 64 || !isIntN(kFactorBits, factor))
    return false;
  bool wraps = shape.kind == LaneShape::Linear && !shape.no_wrap && bits != 64;
  if (shape.kind == LaneShape::Uniform || (shape.kind == LaneShape::Linear && (shape.no_wrap || bits >= 32))) {
    for (LaneWay& way : ways) {
      way.terms.push_back({&value, factor}), way.stride += shape.stride * factor;
      way.may_wrap |= wraps;
    }
    return true;
  }
  auto* instruction = dyn_cast<Instruction>(&value);
  if (depth == kDepth || !instruction || shape.kind != LaneShape::Varying)
    return false;
  if (isa<SelectInst, MinMaxIntrinsic>(instruction) || isFlag(*instruction))
    return addChoice(ways, *instruction,
                     [&](Ways& to, Value& chosen) { return addTerm(to, chosen, factor, depth + 1); });
  auto* extended = dyn_cast<CastInst>(instruction);
  if (extended && (isa<SExtInst>(extended) || (isa<ZExtInst>(extended) && extended->hasNonNeg())))
    return addTerm(ways, *extended->getOperand(0), factor, depth + 1);
  return addSum(ways, *instruction, factor, depth + 1);
}

bool LaneShapes::addSum(Ways& ways, Instruction& sum, int64_t factor, unsigned depth) const {
  auto* operation = dyn_cast<BinaryOperator>(&sum);
  if (!operation || !isExact(sum))
    return false;
  Value &left = *operation->getOperand(0), &right = *operation->getOperand(1);
  auto* constant = dyn_cast<ConstantInt>(&right);
  bool small = constant && constant->getValue().isSignedIntN(16);
  switch (operation->getOpcode()) {
  case Instruction::Add:
  case Instruction::Or:
    return addTerm(ways, left, factor, depth) && addTerm(ways, right, factor, depth);
  case Instruction::Sub:
    return addTerm(ways, left, factor, depth) && addTerm(ways, right, -factor, depth);
  case Instruction::Xor: // -1 - x
    if (!constant || !constant->isMinusOne())
      return false;
    for (LaneWay& way : ways)
      way.constant -= factor;
    return addTerm(ways, left, -factor, depth);
  case Instruction::Mul:
    return small && addTerm(ways, left, factor * constant->getSExtValue(), depth);
  case Instruction::Shl:
    return constant && constant->getValue().ult(8) && addTerm(ways, left, factor << constant->getZExtValue(), depth);
  default:
    return false;
  }
}

// `add` adds the chosen value to the choices. If the same choice was made before, it stays.
bool LaneShapes::addChoice(Ways& ways, Instruction& choice, function_ref<bool(Ways&, Value&)> add) const {
  Ways all;
  for (bool first : {true, false}) {
    Ways some;
    for (const LaneWay& way : ways) {
      auto known = find_if(way.taken, [&](const auto& taken) { return taken.first == &choice; });
      if (known != way.taken.end() && known->second != first)
        continue;
      some.push_back(way);
      if (known == way.taken.end())
        some.back().taken.push_back({&choice, first});
    }
    if (!some.empty() && !add(some, *chosenOf(choice, first)))
      return false;
    all.append(some);
  }
  ways = std::move(all);
  return ways.size() <= kMostWays;
}

} // namespace bsgp::target
