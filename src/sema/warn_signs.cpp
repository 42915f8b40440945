// Comparisons of numbers with a sign and without: the one with it becomes one without, and -1 the largest there is.
#include "sema/checker.h"
#include "sema/warnings.h"

namespace bsgp::sema {

namespace {

bool mayBeNegative(const Expr& e) {
  if (ConstValue known; Sema::constantValue(&e, known))
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
    if (e.op == ast::BinaryOp::BitAnd)
      return mayBeNegative(*e.a) && mayBeNegative(*e.b);
    if (e.op == ast::BinaryOp::Rem || e.op == ast::BinaryOp::Shr)
      return mayBeNegative(*e.a);
    if (e.op == ast::BinaryOp::Add || e.op == ast::BinaryOp::Mul || e.op == ast::BinaryOp::Div)
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

void warnOfMixedExtremes(const Function& function, std::span<const Argument> arguments, SourceRange range, Sema& sema) {
  bool extreme = function.name == "max" || function.name == "min" || function.name == "clamp";
  const ast::Function* node = extreme ? sema.declarationOf(function) : nullptr;
  if (!node || sema.scopeOf(node->range) != Scope::Library)
    return;
  for (size_t i = 1; i < arguments.size(); ++i) {
    const Expr *a = arguments[0].value, *b = arguments[i].value;
    const Type* common = a && b ? sema.common(a->type, b->type) : nullptr;
    if (common && mixesSigns(*a, *b, *common))
      return sema.warnings.report(Diag::mixed_signs, range, typeWithArticle(a->type), typeWithArticle(b->type),
                                  typeName(a->type), typeName(b->type));
  }
}

} // namespace bsgp::sema
