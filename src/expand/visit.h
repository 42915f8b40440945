// Visits the parts of a typed tree.
#pragma once

#include "sema/visit.h"

namespace bsgp::expand {

inline bool hasCollective(Expr* e) {
  bool found = false;
  visitExpr(e, [&](Expr* at) { return !(found |= at->kind == Expr::Call && at->function->collective); });
  return found;
}

inline bool hasCollective(Stmt* s) {
  bool found = false;
  visitExprs(s, [&](Expr* at) { return !(found |= at->kind == Expr::Call && at->function->collective); });
  return found;
}

} // namespace bsgp::expand
