// Conversions: integers wrap, float to integer saturates (NaN gives 0), to bool asks for != 0.
#include "irgen/emitter.h"
#include "support/check.h"

namespace bsgp::irgen {

Leaves Emitter::cast(const Expr* e) {
  Leaves lanes = value(e->a);
  if (e->type->isVoid())
    return {};
  const Type *from = laneType(e->a->type), *to = laneType(e->type);
  if (from->isStruct() || from->isArray()) // to the same type: nothing to do
    return lanes;
  for (llvm::Value*& lane : lanes)
    lane = castScalar(lane, from, to);
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
  if (to->isFloat())
    return isSigned(from) ? b.CreateSIToFP(v, type) : b.CreateUIToFP(v, type);
  return b.CreateIntCast(v, type, isSigned(from));
}

} // namespace bsgp::irgen
