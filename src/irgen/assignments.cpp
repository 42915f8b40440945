// =, op=, ++ and --. The lvalue is found once, before the right side is evaluated.
#include "irgen/emitter.h"

namespace bsgp::irgen {

using ast::BinaryOp;

Leaves Emitter::assign(const Expr* e) {
  if (isLarge(e->type))
    return load(inMemory(e));
  Place target = place(e->a);
  Leaves v = value(e->b);
  store(target, v);
  return v;
}

// Reads a variable that ++ or op= changes at the place of its name, not at the beginning of the expression: "++x".
Leaves Emitter::loadAt(const Expr* lvalue, const Place& place) {
  PositionScope at(*this, lvalue->range);
  return load(place);
}

void Emitter::storeAt(const Expr* lvalue, const Place& place, const Leaves& value) {
  PositionScope at(*this, lvalue->range);
  store(place, value);
}

Leaves Emitter::compoundAssign(const Expr* e) {
  Place target = place(e->a);
  if (e->a->type->isPointer()) {
    llvm::Value* old = loadAt(e->a, target).front();
    Leaves v{pointerAdd(old, e->a->type->element, indexValue(e->b), e->op == BinaryOp::Sub)};
    storeAt(e->a, target, v);
    return v;
  }
  const Type *own = laneType(e->a->type), *compute = laneType(e->compute ? e->compute : e->a->type);
  Leaves v = loadAt(e->a, target);
  for (llvm::Value*& lane : v)
    lane = castScalar(lane, own, compute);
  if (e->compute && e->compute->isVector() && v.size() == 1)
    v.append(e->compute->count - 1, Leaves::value_type(v[0]));
  if ((e->op == BinaryOp::Add || e->op == BinaryOp::Sub) && isProduct(e->b)) {
    v = accumulate(e->op, v, e->b);
  } else {
    Leaves other = value(e->b);
    const Type* other_type = laneType(e->b->type);
    bool shifts = e->op == BinaryOp::Shl || e->op == BinaryOp::Shr;
    for (size_t i = 0; i < v.size(); ++i) {
      llvm::Value* y = other[other.size() == 1 ? 0 : i];
      v[i] = arithmetic(e->op, compute, v[i], shifts ? castScalar(y, other_type, compute) : y, e->range);
    }
  }
  for (llvm::Value*& lane : v)
    lane = castScalar(lane, compute, own);
  storeAt(e->a, target, v);
  return v;
}

Leaves Emitter::incDec(const Expr* e) {
  Place target = place(e->a);
  Leaves old = loadAt(e->a, target), changed;
  for (llvm::Value* lane : old)
    changed.push_back(stepped(lane, e->a->type, e->op == BinaryOp::Sub));
  storeAt(e->a, target, changed);
  return e->prefix ? changed : old;
}

// Returns the value plus or minus 1.
llvm::Value* Emitter::stepped(llvm::Value* old, const Type* whole, bool subtract) {
  const Type* type = laneType(whole);
  if (type->isPointer())
    return pointerAdd(old, type->element, b.getInt64(1), subtract);
  if (type->isFloat()) {
    llvm::Value* one = llvm::ConstantFP::get(old->getType(), 1);
    return subtract ? b.CreateFSub(old, one) : b.CreateFAdd(old, one);
  }
  if (type->isBool()) // as 0 or 1 computed in int
    return subtract ? b.CreateNot(old) : b.getTrue();
  llvm::Value* one = llvm::ConstantInt::get(old->getType(), 1);
  bool nsw = isSigned(type) && type->bits >= 32; // a narrower one wraps, as computed in int
  return subtract ? b.CreateSub(old, one, "", false, nsw) : b.CreateAdd(old, one, "", false, nsw);
}

} // namespace bsgp::irgen
