#include "target/cpu/access_shape.h"

#include <llvm/IR/GetElementPtrTypeIterator.h>
#include <llvm/IR/PatternMatch.h>

namespace bsgp::target {

using namespace llvm;
using namespace llvm::PatternMatch;

namespace {

bool isNear(Shape shape) {
  return shape.kind == Shape::NearSame || shape.kind == Shape::NearLinear;
}

Shape add(Shape a, Shape b) {
  if (a.kind == Shape::Other || b.kind == Shape::Other)
    return {};
  if (!isNear(a) && !isNear(b))
    return Shape::linear(a.step + b.step);
  bool linear =
      a.kind == Shape::Linear || a.kind == Shape::NearLinear || b.kind == Shape::Linear || b.kind == Shape::NearLinear;
  return {linear ? Shape::NearLinear : Shape::NearSame, 0};
}

Shape scale(Shape shape, int64_t factor) {
  return shape.kind == Shape::Linear ? Shape::linear(shape.step * factor) : shape;
}

Shape negate(Shape shape) {
  return scale(shape, -1);
}

// By something that does not change, of unknown size.
Shape multiply(Shape shape) {
  return shape.kind == Shape::Same || shape.kind == Shape::NearSame ? shape : Shape();
}

Shape divide(Shape shape) {
  return shape.kind == Shape::Same ? shape : shape.kind == Shape::Other ? Shape() : Shape{Shape::NearSame, 0};
}

// One of the two, always the same one; what guards divisions against 0 is no matter.
Shape choose(Shape a, Shape b) {
  return a.kind == Shape::Same ? b : b.kind == Shape::Same ? a : Shape();
}

Shape remainder(Shape shape) {
  bool small = shape.kind == Shape::Linear && std::abs(shape.step) <= 4;
  return small ? Shape{Shape::NearLinear, 0} : shape.kind == Shape::Linear ? Shape() : shape;
}

} // namespace

Shape Shapes::of(const Value& value) {
  if (auto given = given_(value))
    return *given;
  auto* instruction = dyn_cast<Instruction>(&value);
  if (!instruction)
    return {Shape::Same, 0};
  if (auto known = known_.find(&value); known != known_.end())
    return known->second;
  known_[&value] = {}; // meets itself around a loop
  Shape shape = compute(*instruction);
  return known_[&value] = shape;
}

Shape Shapes::compute(const Instruction& instruction) {
  Value *a, *b;
  const APInt* constant;
  if (match(&instruction, m_c_Mul(m_Value(a), m_APInt(constant))) && constant->getSignificantBits() <= 32)
    return scale(of(*a), constant->getSExtValue());
  if (match(&instruction, m_Shl(m_Value(a), m_APInt(constant))) && constant->ult(16))
    return scale(of(*a), int64_t(1) << constant->getZExtValue());
  if (match(&instruction, m_Add(m_Value(a), m_Value(b))) || match(&instruction, m_DisjointOr(m_Value(a), m_Value(b))))
    return add(of(*a), of(*b));
  if (match(&instruction, m_Sub(m_Value(a), m_Value(b))))
    return add(of(*a), negate(of(*b)));
  if (isa<ZExtInst, SExtInst, TruncInst, FreezeInst, AddrSpaceCastInst>(instruction))
    return of(*instruction.getOperand(0));
  if (auto* gep = dyn_cast<GetElementPtrInst>(&instruction))
    return address(*gep);
  if (auto* phi = dyn_cast<PHINode>(&instruction))
    return this->phi(*phi);
  if (auto* choice = dyn_cast<SelectInst>(&instruction); choice && of(*choice->getCondition()).kind == Shape::Same)
    return choose(of(*choice->getTrueValue()), of(*choice->getFalseValue()));
  bool same = all_of(instruction.operands(), [this](const Use& use) { return of(*use).kind == Shape::Same; });
  if (same && !instruction.mayReadOrWriteMemory())
    return {Shape::Same, 0};
  if (!isa<BinaryOperator>(instruction) || of(*instruction.getOperand(1)).kind != Shape::Same)
    return {};
  Shape left = of(*instruction.getOperand(0));
  switch (instruction.getOpcode()) {
  case Instruction::Mul:
    return multiply(left);
  case Instruction::UDiv:
  case Instruction::SDiv:
  case Instruction::LShr:
  case Instruction::AShr:
    return divide(left);
  case Instruction::URem:
  case Instruction::SRem:
  case Instruction::And:
    return remainder(left);
  default:
    return {};
  }
}

Shape Shapes::address(const GetElementPtrInst& address) {
  Shape sum = of(*address.getPointerOperand());
  for (auto type = gep_type_begin(address), end = gep_type_end(address); type != end; ++type)
    if (!type.isStruct())
      sum = add(sum, scale(of(*type.getOperand()), int64_t(type.getSequentialElementStride(layout_).getFixedValue())));
  return sum;
}

// A variable of a loop: changes as its first value does, if all add the same to it.
Shape Shapes::phi(const PHINode& phi) {
  Shape first;
  bool found = false;
  for (const Use& use : phi.incoming_values()) {
    auto* step = dyn_cast<Instruction>(use.get());
    bool goes_on = step && isa<BinaryOperator, GetElementPtrInst>(step) && step->getOperand(0) == &phi;
    if (goes_on) {
      if (any_of(drop_begin(step->operands()), [this](const Use& by) { return of(*by).kind != Shape::Same; }))
        return {};
    } else if (found) {
      return {};
    } else {
      first = of(*use);
      found = true;
    }
  }
  return first;
}

} // namespace bsgp::target
