// Comparisons of numbers with a sign and without: the one with it becomes one without, and -1 the largest there is. And those of
// numbers without a sign with 0, which have one answer.
#include <fmt/format.h>

#include "sema/constant.h"
#include "sema/convert.h"
#include "sema/instantiate.h"
#include "sema/services.h"
#include "sema/warnings.h"

namespace bsgp::sema {

using ast::BinaryOp;

namespace {

bool mayBeNegative(const Expr& e) {
  if (ConstValue known; constantValue(&e, known))
    return known.integer < 0;
  switch (e.kind) {
  case Expr::ThreadRank:
  case Expr::ThreadSize:
  case Expr::BlockRank:
  case Expr::BlockSize:
  case Expr::BlockId:
  case Expr::WarpRank:
  case Expr::WarpId:
  case Expr::WarpSize:
  case Expr::DListCount:
    return false;
  case Expr::Cast: {
    const Type& from = *laneType(e.a->type);
    bool narrower = from.isBool() || (from.isInt() && !from.is_signed && from.bits < laneType(e.type)->bits);
    return !narrower && (!from.isInt() || mayBeNegative(*e.a));
  }
  case Expr::Conditional:
    return mayBeNegative(*e.b) || mayBeNegative(*e.c);
  case Expr::Binary:
    if (e.op == BinaryOp::BitAnd)
      return mayBeNegative(*e.a) && mayBeNegative(*e.b);
    if (e.op == BinaryOp::Rem || e.op == BinaryOp::Shr)
      return mayBeNegative(*e.a);
    if (e.op == BinaryOp::Add || e.op == BinaryOp::Mul || e.op == BinaryOp::Div)
      return mayBeNegative(*e.a) || mayBeNegative(*e.b);
    return true;
  case Expr::Var:
    return !e.variable->of_grid;
  default:
    return true;
  }
}

} // namespace

bool mixesSigns(const Expr& a, const Expr& b, const Type& common) {
  const Type& lane = *laneType(&common);
  if (!lane.isInt() || lane.is_signed)
    return false;
  auto mixes = [](const Expr& e) {
    const Type& own = *laneType(e.type);
    return own.isInt() && own.is_signed && mayBeNegative(e);
  };
  return mixes(a) || mixes(b);
}

void warnOfNeverNegative(const ast::Expr& e, const Type& left, const Type& right, Diagnostics& diagnostics) {
  auto isZero = [](const ast::Expr* part) { return part->kind == ast::Expr::IntLit && part->integer == 0; };
  BinaryOp op = e.binary;
  bool zero_behind = (op == BinaryOp::Ge || op == BinaryOp::Lt) && isZero(e.b);
  bool zero_first = (op == BinaryOp::Le || op == BinaryOp::Gt) && isZero(e.a);
  const Type& type = zero_first ? right : left;
  const Type& number = *laneType(&type);
  if (!(zero_behind || zero_first) || !number.isInt() || number.is_signed)
    return;
  bool holds = op == BinaryOp::Ge || op == BinaryOp::Le;
  const ast::Expr& number_written = zero_first ? *e.b : *e.a;
  std::string_view place =
      number_written.kind == ast::Expr::Name ? diagnostics.sources().text(number_written.range) : "i";
  diagnostics.report(
      Diag::never_negative, e.range, diagnostics.sources().text(e.range), holds ? "true" : "false",
      typeWithArticle(&type),
      holds ? fmt::format("; a loop down to 0 is for ({} {} = n; {}-- > 0;)", typeName(&type), place, place) : "");
}

void warnOfMixedExtremes(const Function& function, std::span<const Argument> arguments, SourceRange range, Sema& sema) {
  bool extreme = function.name == "max" || function.name == "min" || function.name == "clamp";
  const ast::Function* node = extreme ? declarationOf(sema, function) : nullptr;
  if (!node || scopeOf(sema, node->range) != Scope::Library)
    return;
  for (size_t i = 1; i < arguments.size(); ++i) {
    const Expr *a = arguments[0].value, *b = arguments[i].value;
    const Type* type = a && b ? common(sema, a->type, b->type) : nullptr;
    if (type && mixesSigns(*a, *b, *type))
      return sema.warnings.report(Diag::mixed_signs, range, typeWithArticle(a->type), typeWithArticle(b->type),
                                  typeName(a->type), typeName(b->type));
  }
}

} // namespace bsgp::sema
