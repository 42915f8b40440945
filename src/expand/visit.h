// Visits the parts of a typed tree.
#pragma once

#include "sema/visit.h"

namespace bsgp::expand {

inline bool contains(Stmt* s, Stmt::Kind kind) {
  bool found = false;
  visitStmt(s, [&](Stmt* at) { return !(found |= at->kind == kind); });
  return found;
}

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
