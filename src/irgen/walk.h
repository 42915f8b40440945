// Visits all expressions and statements below a statement, those of calls to other functions not included.
#pragma once

#include "expand/flat.h"

namespace bsgp::irgen {

template <class Visit> void forEachExpr(const Expr* e, Visit&& visit) {
  if (!e)
    return;
  visit(e);
  for (const Expr* part : {e->a, e->b, e->c})
    forEachExpr(part, visit);
  for (const Expr* part : e->args)
    forEachExpr(part, visit);
}

// Statements in order, outer before inner.
template <class Visit> void forEachStmt(const Stmt* s, Visit&& visit) {
  if (!s)
    return;
  visit(s);
  for (const Stmt* part :
       {static_cast<const Stmt*>(s->init), static_cast<const Stmt*>(s->body), static_cast<const Stmt*>(s->otherwise)})
    forEachStmt(part, visit);
  for (const Stmt* part : s->stmts)
    forEachStmt(part, visit);
}

template <class Visit> void forEachExprIn(const Stmt* s, Visit&& visit) {
  forEachStmt(s, [&](const Stmt* part) {
    for (const Expr* e : {part->expr, part->target, part->value, part->step})
      forEachExpr(e, visit);
  });
}

} // namespace bsgp::irgen
