// Operations that device code does differently from host code: division, assert, printf, the rank and the size,
// dlists with their contents at the launch.
#include "ir/operations.h"
#include "irgen/device_emitter.h"
#include "support/check.h"

namespace bsgp::irgen {

Leaves DeviceEmitter::special(const Expr* e) {
  switch (e->kind) {
  case Expr::ThreadRank:
    return {castScalar(rank(), spawn_.rank_type, e->type)};
  case Expr::ThreadSize:
    return {castScalar(size(), spawn_.rank_type, e->type)};
  case Expr::BlockRank:
  case Expr::BlockSize:
  case Expr::BlockId:
    return {blockMember(e)};
  case Expr::WarpRank:
  case Expr::WarpId:
  case Expr::WarpSize:
    return {warpMember(e)};
  case Expr::Get:
    return get(e);
  case Expr::DListData:
    return {listPart(e->a, 0)};
  case Expr::DListCount:
    return {count(e)};
  case Expr::BuiltinCall:
    return memoryCall(e);
  default:
    BSGP_CHECK(false, "an expression of host code, kind %d, on the device", int(e->kind));
    __builtin_unreachable();
  }
}

// Returns the places that a list may be at, and, if they are several, the number of the actual one. The host chooses
// the element of an array of lists.
std::vector<Place> DeviceEmitter::listPlaces(const Expr* list, llvm::Value*& which) {
  if (list->kind == Expr::Var)
    return {variable(list)};
  std::vector<Place> wholes = listPlaces(list->a, which), parts;
  if (list->kind == Expr::Field) {
    for (const Place& whole : wholes)
      parts.push_back(fieldOf(whole, list->index));
    return parts;
  }
  uint64_t count = list->a->type->count;
  llvm::Value* index = indexValue(list->b);
  if (auto* known = llvm::dyn_cast<llvm::ConstantInt>(index); known && known->getValue().ult(count)) {
    for (const Place& whole : wholes)
      parts.push_back(elementOf(whole, index));
    return parts;
  }
  for (const Place& whole : wholes)
    for (uint64_t i = 0; i < count; ++i)
      parts.push_back(elementOf(whole, b.getInt64(i)));
  which = which ? b.CreateAdd(b.CreateMul(which, b.getInt64(count)), index) : index;
  return parts;
}

// The data (0) or the count (1) of a list.
llvm::Value* DeviceEmitter::listPart(const Expr* list, uint32_t leaf) {
  llvm::Value* which = nullptr;
  std::vector<Place> places = listPlaces(list, which);
  llvm::Value* part = captured(places[0], leaf);
  for (size_t i = 1; i < places.size(); ++i)
    part = b.CreateSelect(b.CreateICmpEQ(which, b.getInt64(i)), captured(places[i], leaf), part);
  return part;
}

llvm::Value* DeviceEmitter::count(const Expr* e) {
  llvm::Value* n = listPart(e->a, 1);
  if (e->type->bits == 64)
    return n;
  intrinsic(ir::Op::Assert, {b.CreateICmpSLE(n, b.getInt64(INT32_MAX)), m.site(programSite(e->range), kLengthFits)});
  return b.CreateTrunc(n, m.int32());
}

// Arithmetic on the rank, in the form that ir/operations.h promises the targets; once a superstep.
llvm::Value* DeviceEmitter::blockRank() {
  llvm::Value* of = rank();
  if (!block_rank_)
    block_rank_ = behind(now_, [&] { return b.Insert(llvm::BinaryOperator::CreateURem(of, blockLimit())); });
  return block_rank_;
}

llvm::Value* DeviceEmitter::blockId() {
  llvm::Value* of = rank();
  if (!block_id_)
    block_id_ = behind(now_, [&] { return b.Insert(llvm::BinaryOperator::CreateUDiv(of, blockLimit())); });
  return block_id_;
}

llvm::Value* DeviceEmitter::blockLimit() {
  return llvm::ConstantInt::get(rankType(), spawn_.block);
}

llvm::Value* DeviceEmitter::blockMember(const Expr* e) {
  if (e->kind == Expr::BlockRank)
    return castScalar(blockRank(), spawn_.rank_type, e->type);
  return e->kind == Expr::BlockId ? blockId() : blockSize(e->type);
}

llvm::Value* DeviceEmitter::blockSize(const Type* type) {
  llvm::Value* rest = b.CreateSub(size(), b.CreateMul(blockId(), blockLimit()));
  return castScalar(b.CreateBinaryIntrinsic(llvm::Intrinsic::umin, rest, blockLimit()), spawn_.rank_type, type);
}

llvm::Value* DeviceEmitter::warpMember(const Expr* e) {
  llvm::Value* place = castScalar(blockRank(), spawn_.rank_type, e->type);
  llvm::Value* warp = b.getInt32(kWarp);
  if (e->kind == Expr::WarpRank)
    return b.CreateURem(place, warp);
  llvm::Value* id = b.CreateUDiv(place, warp);
  if (e->kind == Expr::WarpId)
    return id;
  llvm::Value* rest = b.CreateSub(blockSize(e->type), b.CreateMul(id, warp));
  return b.CreateBinaryIntrinsic(llvm::Intrinsic::umin, rest, warp);
}

// x/0 is 0, x%0 is 0; the one quotient that does not fit wraps. A division by 1 instead gives just that for it, and
// for x%0.
llvm::Value* DeviceEmitter::divide(ast::BinaryOp op, const Type* type, llvm::Value* x, llvm::Value* y, SourceRange) {
  bool quotient = op == ast::BinaryOp::Div, is_signed = isSigned(type);
  unsigned bits = type->isBool() ? 1 : type->bits;
  llvm::Value *zero = b.getInt(llvm::APInt(bits, 0)), *one = b.getInt(llvm::APInt(bits, 1));
  auto plain = [&](llvm::Value* by) {
    if (quotient)
      return is_signed ? b.CreateSDiv(x, by) : b.CreateUDiv(x, by);
    return is_signed ? b.CreateSRem(x, by) : b.CreateURem(x, by);
  };
  if (auto* known = llvm::dyn_cast<llvm::ConstantInt>(y)) {
    if (known->isZero() && isChecked())
      checkValue(b.getTrue(), BSGP_VALUE_DIVISOR, x);
    if (known->isZero())
      return zero;
    if (!is_signed || !known->isMinusOne())
      return plain(y);
    return quotient ? b.CreateNeg(x) : zero;
  }
  llvm::Value* by_zero = b.CreateICmpEQ(y, zero);
  if (isChecked())
    checkValue(by_zero, BSGP_VALUE_DIVISOR, x);
  llvm::Value* unsafe = by_zero;
  if (is_signed) {
    llvm::Value* least = b.CreateICmpEQ(x, b.getInt(llvm::APInt::getSignedMinValue(bits)));
    llvm::Value* minus_one = b.CreateICmpEQ(y, b.getInt(llvm::APInt::getAllOnes(bits)));
    unsafe = b.CreateOr(by_zero, b.CreateAnd(least, minus_one));
  }
  llvm::Value* result = plain(b.CreateSelect(unsafe, one, y));
  return quotient ? b.CreateSelect(by_zero, zero, result) : result;
}

Leaves DeviceEmitter::check(const Expr* e) {
  intrinsic(ir::Op::Assert, {scalar(e->a), m.site(programSite(e->range), e->text)});
  return {};
}

// Returns the program's call for code of the library. (expand has done so for the calls it expanded.)
SourceRange DeviceEmitter::programSite(SourceRange range) const {
  for (size_t i = inlining_.size(); i > 0 && m.sources.ofLibrary(range); --i)
    if (inlining_[i - 1].function)
      range = inlining_[i - 1].call;
  return range;
}

Leaves DeviceEmitter::print(const Expr* e) {
  llvm::SmallVector<llvm::Value*> arguments{scalar(e->args[0])};
  for (const Expr* arg : e->args.subspan(1))
    appendPrinted(arg, arguments);
  intrinsic(ir::Op::Print, arguments);
  if (e->type->isVoid())
    return {};
  return {llvm::ConstantInt::get(m.types.value(e->type), 0)};
}

} // namespace bsgp::irgen
