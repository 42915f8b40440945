// Conversions: integers wrap, float to integer saturates (NaN gives 0), to bool asks for != 0.
#include "irgen/emitter.h"
#include "support/check.h"

namespace bsgp::irgen {

namespace {

// Clamps the value: 65520 or more becomes infinite. LLVM 19 takes an integer of few significant bits for one that
// half holds exactly, whatever its size, and drops the conversion on the way to a wider type; it does not do so for
// 65535.
llvm::Value* withinHalf(llvm::IRBuilderBase& b, llvm::Value* v, bool is_signed) {
  llvm::Type* type = v->getType();
  if (type->getIntegerBitWidth() <= 16)
    return v;
  llvm::Value* most = llvm::ConstantInt::get(type, 65535);
  if (!is_signed)
    return b.CreateBinaryIntrinsic(llvm::Intrinsic::umin, v, most);
  llvm::Value* least = llvm::ConstantInt::getSigned(type, -65535);
  return b.CreateBinaryIntrinsic(llvm::Intrinsic::smax, b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, v, most), least);
}

} // namespace

Leaves Emitter::cast(const Expr* e) {
  Leaves lanes = value(e->a);
  if (e->type->isVoid())
    return {};
  const Type *from = laneType(e->a->type), *to = laneType(e->type);
  if (from->isStruct() || from->isArray()) // to the same type: nothing to do
    return lanes;
  for (llvm::Value*& lane : lanes)
    lane = castScalar(lane, from, to);
  if (to->isPointer() && from->isInt())
    reached(lanes[0]);
  if (e->type->isVector() && lanes.size() == 1)
    lanes.append(e->type->count - 1, Leaves::value_type(lanes[0]));
  return lanes;
}

llvm::Value* Emitter::castScalar(llvm::Value* v, const Type* from, const Type* to) {
  llvm::Type* type = m.types.value(to);
  bool from_pointer = from->isPointer() || from->kind == TypeKind::Null;
  if (from_pointer) {
    if (to->isBool())
      return b.CreateIsNotNull(v);
    return to->isInt() ? b.CreatePtrToInt(v, type) : b.CreateAddrSpaceCast(v, type);
  }
  if (to->isPointer())
    return b.CreateIntToPtr(isSigned(from) ? b.CreateSExt(v, m.int64()) : b.CreateZExt(v, m.int64()), type);
  if (to->isBool()) {
    llvm::Value* zero = llvm::Constant::getNullValue(v->getType());
    if (from->isBool())
      return v;
    return from->isFloat() ? b.CreateFCmpUNE(v, zero) : b.CreateICmpNE(v, zero);
  }
  if (from->isFloat()) {
    if (to->isFloat())
      return b.CreateFPCast(v, type);
    auto saturating = to->is_signed ? llvm::Intrinsic::fptosi_sat : llvm::Intrinsic::fptoui_sat;
    return b.CreateIntrinsic(saturating, {type, v->getType()}, {v});
  }
  if (type->isHalfTy())
    v = withinHalf(b, v, isSigned(from));
  if (to->isFloat())
    return isSigned(from) ? b.CreateSIToFP(v, type) : b.CreateUIToFP(v, type);
  return b.CreateIntCast(v, type, isSigned(from));
}

} // namespace bsgp::irgen
