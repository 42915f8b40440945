// Arithmetic lane by lane. Both operands have one type (of a shift: one width); integers narrower than 32 bits were
// promoted. Signed overflow is undefined; shift amounts count modulo the width.
#include "irgen/emitter.h"
#include "support/check.h"

namespace bsgp::irgen {

using ast::BinaryOp;

Leaves Emitter::unary(const Expr* e) {
  Leaves lanes = value(e->a);
  const Type* type = laneType(e->type);
  for (llvm::Value*& lane : lanes)
    if (e->kind != Expr::Neg)
      lane = b.CreateNot(lane);
    else if (type->isFloat())
      lane = b.CreateFNeg(lane);
    else
      lane = isSigned(type) ? b.CreateNSWNeg(lane) : b.CreateNeg(lane);
  return lanes;
}

Leaves Emitter::binary(const Expr* e) {
  if (fuses(e->op, e->a, e->b))
    return fused(e->op, e->a, e->b);
  Leaves x = value(e->a), y = value(e->b);
  const Type *type = laneType(e->a->type), *amount = laneType(e->b->type);
  for (size_t i = 0; i < x.size(); ++i) {
    llvm::Value* other = y[y.size() == 1 ? 0 : i];
    if (e->op == BinaryOp::Shl || e->op == BinaryOp::Shr)
      x[i] = shift(e->op, type, x[i], castScalar(other, amount, type));
    else
      x[i] = arithmetic(e->op, type, x[i], other, e->range);
  }
  return x;
}

llvm::Value* Emitter::arithmetic(BinaryOp op, const Type* type, llvm::Value* x, llvm::Value* y, SourceRange range) {
  bool floating = type->isFloat(), nsw = isSigned(type);
  switch (op) {
  case BinaryOp::Add:
    return floating ? b.CreateFAdd(x, y) : b.CreateAdd(x, y, "", false, nsw);
  case BinaryOp::Sub:
    return floating ? b.CreateFSub(x, y) : b.CreateSub(x, y, "", false, nsw);
  case BinaryOp::Mul:
    return floating ? b.CreateFMul(x, y) : b.CreateMul(x, y, "", false, nsw);
  case BinaryOp::Div:
    if (floating)
      return b.CreateFDiv(x, y);
    return divide(op, type, x, y, range);
  case BinaryOp::Rem:
    if (floating)
      return b.CreateFRem(x, y);
    return divide(op, type, x, y, range);
  case BinaryOp::Shl:
  case BinaryOp::Shr:
    return shift(op, type, x, y);
  case BinaryOp::BitAnd:
    return b.CreateAnd(x, y);
  case BinaryOp::BitOr:
    return b.CreateOr(x, y);
  case BinaryOp::BitXor:
    return b.CreateXor(x, y);
  default:
    return compare(op, type, x, y);
  }
}

// Comparisons with a NaN are false, but for != .
llvm::Value* Emitter::compare(BinaryOp op, const Type* type, llvm::Value* x, llvm::Value* y) {
  using llvm::CmpInst;
  bool floating = type->isFloat(), is_signed = isSigned(type);
  auto pick = [&](CmpInst::Predicate f, CmpInst::Predicate s, CmpInst::Predicate u) {
    return floating ? f : is_signed ? s : u;
  };
  CmpInst::Predicate predicate;
  switch (op) {
  case BinaryOp::Lt:
    predicate = pick(CmpInst::FCMP_OLT, CmpInst::ICMP_SLT, CmpInst::ICMP_ULT);
    break;
  case BinaryOp::Gt:
    predicate = pick(CmpInst::FCMP_OGT, CmpInst::ICMP_SGT, CmpInst::ICMP_UGT);
    break;
  case BinaryOp::Le:
    predicate = pick(CmpInst::FCMP_OLE, CmpInst::ICMP_SLE, CmpInst::ICMP_ULE);
    break;
  case BinaryOp::Ge:
    predicate = pick(CmpInst::FCMP_OGE, CmpInst::ICMP_SGE, CmpInst::ICMP_UGE);
    break;
  case BinaryOp::Eq:
    predicate = pick(CmpInst::FCMP_OEQ, CmpInst::ICMP_EQ, CmpInst::ICMP_EQ);
    break;
  case BinaryOp::Ne:
    predicate = pick(CmpInst::FCMP_UNE, CmpInst::ICMP_NE, CmpInst::ICMP_NE);
    break;
  default:
    BSGP_CHECK(false, "'%s' is no operation on scalars", ast::spelling(op));
    __builtin_unreachable();
  }
  return b.CreateCmp(predicate, x, y);
}

llvm::Value* Emitter::shift(BinaryOp op, const Type* type, llvm::Value* x, llvm::Value* amount) {
  unsigned bits = amount->getType()->getIntegerBitWidth();
  if (isChecked())
    checkValue(b.CreateICmpUGE(amount, llvm::ConstantInt::get(amount->getType(), bits)), BSGP_VALUE_SHIFT, amount);
  amount = b.CreateAnd(amount, llvm::ConstantInt::get(amount->getType(), bits - 1));
  if (op == BinaryOp::Shl)
    return b.CreateShl(x, amount);
  return isSigned(type) ? b.CreateAShr(x, amount) : b.CreateLShr(x, amount);
}

} // namespace bsgp::irgen
