// Walks over the typed tree. Calls of other functions are not entered.
#pragma once

#include "sema/program.h"

namespace bsgp {

// Calls visit(e) for each expression, parents first. Where it gives false, the parts are left out.
template <class Node, class Visit> void visitExpr(Node* e, const Visit& visit) {
  if (!e || !visit(e))
    return;
  for (Node* part : {static_cast<Node*>(e->a), static_cast<Node*>(e->b), static_cast<Node*>(e->c)})
    visitExpr(part, visit);
  for (Node* arg : e->args)
    if (arg != e->a)
      visitExpr(arg, visit);
}

// Calls visit(s) for each statement, in order, outer ones first. Where it gives false, what is in it is left out.
template <class Node, class Visit> void visitStmt(Node* s, const Visit& visit) {
  if (!s || !visit(s))
    return;
  for (Node* part : {static_cast<Node*>(s->init), static_cast<Node*>(s->body), static_cast<Node*>(s->otherwise)})
    visitStmt(part, visit);
  for (Node* inner : s->stmts)
    visitStmt(inner, visit);
}

// As visitExpr, for every expression in a statement and in those below it.
template <class Node, class Visit> void visitExprs(Node* s, const Visit& visit) {
  visitStmt(s, [&](Node* at) {
    for (auto* e : {at->expr, at->target, at->value, at->step})
      visitExpr(e, visit);
    return true;
  });
}

// True if the statement, or one within it, is of this kind.
inline bool contains(const Stmt* s, Stmt::Kind kind) {
  bool found = false;
  visitStmt(s, [&](const Stmt* at) { return !(found |= at->kind == kind); });
  return found;
}

// As these, for all: visit gives nothing.
template <class Visit> void forEachStmt(const Stmt* s, const Visit& visit) {
  visitStmt(s, [&](const Stmt* at) { return visit(at), true; });
}
template <class Visit> void forEachExprIn(const Stmt* s, const Visit& visit) {
  visitExprs(s, [&](const Expr* at) { return visit(at), true; });
}

} // namespace bsgp
