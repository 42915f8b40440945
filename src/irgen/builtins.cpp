// Built-in operations that are one LLVM intrinsic each, lane by lane.
#include "irgen/emitter.h"
#include "support/check.h"

namespace bsgp::irgen {

namespace {

llvm::Intrinsic::ID intrinsicOf(Builtin builtin) {
  switch (builtin) {
  case Builtin::Sqrt:
    return llvm::Intrinsic::sqrt;
  case Builtin::Floor:
    return llvm::Intrinsic::floor;
  case Builtin::Ceil:
    return llvm::Intrinsic::ceil;
  case Builtin::Trunc:
    return llvm::Intrinsic::trunc;
  case Builtin::RoundEven:
    return llvm::Intrinsic::roundeven;
  case Builtin::Fabs:
    return llvm::Intrinsic::fabs;
  case Builtin::CopySign:
    return llvm::Intrinsic::copysign;
  case Builtin::Fma:
    return llvm::Intrinsic::fma;
  case Builtin::PopCount:
    return llvm::Intrinsic::ctpop;
  case Builtin::LeadingZeros:
    return llvm::Intrinsic::ctlz;
  case Builtin::TrailingZeros:
    return llvm::Intrinsic::cttz;
  case Builtin::BitReverse:
    return llvm::Intrinsic::bitreverse;
  case Builtin::ByteSwap:
    return llvm::Intrinsic::bswap;
  default:
    return llvm::Intrinsic::not_intrinsic;
  }
}

llvm::Value* mulHigh(Builder& b, const Type* type, llvm::Value* x, llvm::Value* y) {
  unsigned bits = type->bits;
  llvm::Type* wide = b.getIntNTy(2 * bits);
  bool is_signed = isSigned(type);
  llvm::Value* product = b.CreateMul(b.CreateIntCast(x, wide, is_signed), b.CreateIntCast(y, wide, is_signed));
  return b.CreateTrunc(b.CreateLShr(product, bits), x->getType());
}

} // namespace

Leaves Emitter::builtin(const Expr* e) {
  switch (e->builtin) {
  case Builtin::Printf:
    return print(e);
  case Builtin::Assert:
    return check(e);
  case Builtin::Uses:
    return used(e->args[0]);
  default:
    if (e->builtin >= Builtin::BlockSync)
      return special(e);
    break;
  }
  llvm::SmallVector<Leaves, 3> operands;
  const Type* type = nullptr;
  auto operand = [&](const Expr* x) {
    if (x && !type)
      type = laneType(x->type);
    if (x)
      operands.push_back(value(x));
  };
  for (const Expr* arg : e->args)
    operand(arg);
  if (e->args.empty())
    for (const Expr* arg : {e->a, e->b, e->c})
      operand(arg);
  BSGP_CHECK(!operands.empty(), "a built-in function without operands");
  Leaves result;
  for (size_t i = 0; i < operands[0].size(); ++i) {
    llvm::SmallVector<llvm::Value*, 3> lane;
    for (const Leaves& o : operands)
      lane.push_back(o[o.size() == 1 ? 0 : i]);
    result.push_back(math(e, type, lane));
  }
  return result;
}

// Computes one lane; `type` is that of the first operand.
llvm::Value* Emitter::math(const Expr* e, const Type* type, llvm::ArrayRef<llvm::Value*> args) {
  llvm::Type* result = m.types.value(laneType(e->type));
  if (e->builtin == Builtin::BitCast)
    return b.CreateBitCast(args[0], result);
  if (e->builtin == Builtin::MulHigh)
    return mulHigh(b, type, args[0], args[1]);
  // abs of an integer
  if (e->builtin == Builtin::Fabs && type->isInt())
    return b.CreateIntrinsic(llvm::Intrinsic::abs, {args[0]->getType()}, {args[0], b.getFalse()});
  llvm::Intrinsic::ID id = intrinsicOf(e->builtin);
  BSGP_CHECK(id != llvm::Intrinsic::not_intrinsic, "built-in function %d", int(e->builtin));
  llvm::SmallVector<llvm::Value*, 3> all(args);
  if (e->builtin == Builtin::LeadingZeros || e->builtin == Builtin::TrailingZeros)
    all.push_back(b.getFalse()); // of 0 they give the width
  llvm::Value* value = b.CreateIntrinsic(id, {args[0]->getType()}, all);
  return result->isIntegerTy() && value->getType() != result ? b.CreateIntCast(value, result, false) : value;
}

// Reads the variable behind a parameter by reference at the program's name for it.
Leaves Emitter::usedValue(const Expr* e) {
  llvm::DebugLoc given = givenAt(e), here = b.getCurrentDebugLocation();
  if (!given)
    return value(e);
  b.SetCurrentDebugLocation(given);
  Leaves result = load(place(e));
  b.SetCurrentDebugLocation(here);
  return result;
}

// Uses the value here, so that an undefined one is reported here.
Leaves Emitter::used(const Expr* e) {
  for (llvm::Value* v : usedValue(e))
    use(v, {});
  return {};
}

// An argument of printf, a vector by component, as 64 bits (plan_abi.h): integers extended, floating-point numbers as
// double.
void Emitter::appendPrinted(const Expr* e, llvm::SmallVectorImpl<llvm::Value*>& to) {
  const Type* type = laneType(e->type);
  for (llvm::Value* v : value(e)) {
    if (type->isFloat())
      to.push_back(b.CreateBitCast(b.CreateFPCast(v, b.getDoubleTy()), m.int64()));
    else if (v->getType()->isPointerTy())
      to.push_back(b.CreatePtrToInt(v, m.int64()));
    else
      to.push_back(b.CreateIntCast(v, m.int64(), isSigned(type)));
  }
}

} // namespace bsgp::irgen
