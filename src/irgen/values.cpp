// Expressions: the value of each kind as a list of scalars.
#include "irgen/emitter.h"
#include "support/check.h"

namespace bsgp::irgen {

Leaves Emitter::value(const Expr* e) {
  if (!e->strict || !b.getFastMathFlags().any())
    return plainValue(e);
  llvm::IRBuilderBase::FastMathFlagGuard flags(b);
  b.clearFastMathFlags();
  return plainValue(e);
}

Leaves Emitter::plainValue(const Expr* e) {
  PositionScope at(*this, e->range);
  switch (e->kind) {
  case Expr::Constant:
    return constant(e);
  case Expr::String:
    return {m.string(e->text)};
  case Expr::Null:
    return {llvm::Constant::getNullValue(m.types.value(e->type))};
  case Expr::Var:
  case Expr::Deref:
    return load(place(e));
  case Expr::Field:
  case Expr::Swizzle:
  case Expr::Index:
    return isLvalue(e) ? load(place(e)) : partOf(e);
  case Expr::AddrOf:
  case Expr::Decay:
    return {address(e->a, e->type)};
  case Expr::Neg:
  case Expr::Not:
  case Expr::BitNot:
    return unary(e);
  case Expr::Binary:
    return binary(e);
  case Expr::PtrAdd: {
    llvm::Value* pointer = scalar(e->a);
    return {pointerAdd(pointer, e->type->element, indexValue(e->b), e->op == ast::BinaryOp::Sub)};
  }
  case Expr::PtrDiff:
    return {pointerDifference(e)};
  case Expr::LogicalAnd:
  case Expr::LogicalOr:
    return logical(e);
  case Expr::Conditional:
    return isLarge(e->type) ? load(inMemory(e)) : conditional(e);
  case Expr::Comma:
    value(e->a);
    return value(e->b);
  case Expr::Assign:
    return assign(e);
  case Expr::CompoundAssign:
    return compoundAssign(e);
  case Expr::IncDec:
    return incDec(e);
  case Expr::Cast:
    return cast(e);
  case Expr::Construct:
    return construct(e);
  case Expr::Call:
    return call(e);
  case Expr::BuiltinCall:
    return builtin(e);
  case Expr::ThreadRank:
  case Expr::ThreadSize:
  case Expr::BlockRank:
  case Expr::BlockSize:
  case Expr::BlockId:
  case Expr::WarpRank:
  case Expr::WarpId:
  case Expr::WarpSize:
  case Expr::Get:
  case Expr::DListData:
  case Expr::DListCount:
    return special(e);
  }
  BSGP_CHECK(false, "expression of kind %d", int(e->kind));
  __builtin_unreachable();
}

Leaves Emitter::constant(const Expr* e) {
  llvm::Constant* lane = m.scalarConstant(laneType(e->type), e->value);
  return Leaves(e->type->isVector() ? e->type->count : 1, lane);
}

ir::Cause Emitter::causeOf(const Variable& variable) {
  if (variable.is_kept)
    return {};
  return {BSGP_CAUSE_VARIABLE, std::string(variable.name), variable.range.begin};
}

ir::Cause Emitter::resultOf(const Function& callee) {
  return {BSGP_CAUSE_RESULT, std::string(callee.isInternal() ? "" : callee.name), callee.range.begin};
}

// Names leaf `leaf` of a variable of that type as the cause.
ir::Cause Emitter::causeOf(const UnsetSource& source, const Type* type, uint32_t leaf) {
  if (source.function)
    return resultOf(*source.function);
  if (!source.variable)
    return {};
  ir::Cause cause = causeOf(*source.variable);
  if (source.variable->type == type)
    cause.name += m.types.leafName(type, leaf);
  return cause;
}

// Makes an undefined value; each leaf of a variable gets its name.
Leaves Emitter::undefined(const Type* type, const ir::Cause& cause) {
  const std::vector<Leaf>& leaves = m.types.leaves(type);
  Leaves result;
  for (uint32_t i = 0; i < leaves.size(); ++i) {
    llvm::Type* scalar = m.types.value(leaves[i].type);
    if (!isChecked()) {
      result.push_back(llvm::UndefValue::get(scalar));
      continue;
    }
    ir::Cause part = cause;
    if (cause.kind == BSGP_CAUSE_VARIABLE)
      part.name += m.types.leafName(type, i);
    llvm::CallInst* made = watch(ir::Op::CheckUndefined, {}, scalar);
    ir::setCause(*made, part);
    result.push_back(made);
  }
  return result;
}

void Emitter::leaveUnset(const Place& place, const ir::Cause& cause) {
  if (!isChecked())
    return;
  if (place.kind == Place::Scattered)
    store(place, undefined(place.type, cause));
  else if (place.kind == Place::Memory)
    ir::setCause(*watch(ir::Op::CheckUnset, {place.address, b.getInt64(place.type->size)}), cause);
}

llvm::CallInst* Emitter::watch(ir::Op op, llvm::ArrayRef<llvm::Value*> arguments, llvm::Type* type) {
  return b.CreateCall(ir::declare(m.module, op, type), arguments);
}

// src/check gives the test a site.
void Emitter::checkValue(llvm::Value* bad, bsgp_check_value kind, llvm::Value* value, uint64_t limit) {
  watch(ir::Op::CheckValue, {bad, b.getInt32(kind), b.CreateSExt(value, m.int64()), b.getInt64(limit),
                             llvm::ConstantPointerNull::get(m.pointer())});
}

void Emitter::use(llvm::Value* value, SourceRange range) {
  if (!isChecked())
    return;
  PositionScope at(*this, range);
  llvm::Type* type = value->getType();
  llvm::Value* bits = type->isPointerTy() ? b.CreatePtrToInt(value, m.int64())
                      : type->isFloatingPointTy()
                          ? b.CreateBitCast(value, b.getIntNTy(unsigned(type->getPrimitiveSizeInBits())))
                          : value;
  checkValue(b.getFalse(), BSGP_VALUE_UNDEFINED, b.CreateZExtOrTrunc(bits, m.int64()));
}

Leaves Emitter::partOf(const Expr* e) {
  const Type* whole = e->a->type;
  if (isLarge(whole)) {
    Place base = inMemory(e->a);
    return load(e->kind == Expr::Field ? fieldOf(base, e->index) : elementOf(base, indexValue(e->b)));
  }
  Leaves all = value(e->a), part;
  if (e->kind == Expr::Swizzle) {
    for (unsigned i = 0; i < e->lane_count; ++i)
      part.push_back(all[e->lanes[i]]);
    return part;
  }
  uint32_t count = m.types.leafCount(e->type), first = 0;
  if (e->kind == Expr::Field) {
    first = m.types.shape(whole).starts[e->index];
  } else {
    llvm::Value* index = indexValue(e->b);
    auto* known = llvm::dyn_cast<llvm::ConstantInt>(index);
    if (!known || known->getValue().uge(whole->count))
      return load(elementOf(spilled(whole, all), index));
    first = static_cast<uint32_t>(known->getZExtValue()) * count;
  }
  part.append(all.begin() + first, all.begin() + first + count);
  return part;
}

Leaves Emitter::construct(const Expr* e) {
  Leaves result;
  for (const Expr* arg : e->args)
    result.append(value(arg));
  if (e->type->isVector() && result.size() == 1)
    result.append(e->type->count - 1, Leaves::value_type(result[0]));
  return result;
}

llvm::Value* Emitter::pointerAdd(llvm::Value* pointer, const Type* type, llvm::Value* count, bool subtract) {
  return element(pointer, type, subtract ? b.CreateNSWNeg(count) : count);
}

llvm::Value* Emitter::pointerDifference(const Expr* e) {
  llvm::Value* x = b.CreatePtrToInt(scalar(e->a), m.int64());
  llvm::Value* y = b.CreatePtrToInt(scalar(e->b), m.int64());
  uint64_t each = std::max(1u, e->a->type->element->size);
  return b.CreateExactSDiv(b.CreateSub(x, y), b.getInt64(each));
}

} // namespace bsgp::irgen
