#include "expand/places.h"

#include <algorithm>

namespace bsgp::expand {

bool samePlace(const Expr* a, const Expr* b) {
  if (a->kind != b->kind)
    return false;
  switch (a->kind) {
  case Expr::Var:
    return a->variable == b->variable;
  case Expr::Field:
    return a->index == b->index && samePlace(a->a, b->a);
  case Expr::Swizzle:
    return a->lane_count == b->lane_count && std::equal(a->lanes, a->lanes + a->lane_count, b->lanes) &&
           samePlace(a->a, b->a);
  case Expr::Index:
    return a->b->kind == Expr::Constant && b->b->kind == Expr::Constant && a->b->value.integer == b->b->value.integer &&
           samePlace(a->a, b->a);
  default:
    return false;
  }
}

} // namespace bsgp::expand
