// Walks over typed trees.
#pragma once

#include "sema/program.h"

namespace bsgp::expand {

// visit(Expr*) for each expression, parents first; a false result leaves its parts out.
template <class F> void visitExpr(Expr* e, const F& visit) {
  if (!e || !visit(e))
    return;
  visitExpr(e->a, visit), visitExpr(e->b, visit), visitExpr(e->c, visit);
  for (Expr* arg : e->args)
    if (arg != e->a)
      visitExpr(arg, visit);
}

// visit(Stmt*) for each statement, parents first; a false result leaves its parts out.
template <class F> void visitStmt(Stmt* s, const F& visit) {
  if (!s || !visit(s))
    return;
  visitStmt(s->init, visit), visitStmt(s->body, visit), visitStmt(s->otherwise, visit);
  for (Stmt* inner : s->stmts)
    visitStmt(inner, visit);
}

// Every expression in a statement and the statements below it.
template <class F> void visitExprs(Stmt* s, const F& visit) {
  visitStmt(s, [&](Stmt* at) {
    for (Expr* e : {at->expr, at->target, at->value, at->step})
      visitExpr(e, visit);
    return true;
  });
}

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
