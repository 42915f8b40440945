// Walks over the syntax tree.
#pragma once

#include <optional>

#include "parse/ast.h"

namespace bsgp::ast {

template <class F> void walk(const Expr* e, const F& visit) {
  if (!e)
    return;
  visit(e);
  walk(e->a, visit), walk(e->b, visit), walk(e->c, visit);
  for (const Expr* arg : e->args)
    walk(arg, visit);
}

// The arms of an if that `taken` says something of: true the first, false the other one.
template <class S, class E, class T> void walk(const Stmt* s, const S& visit, const E& visit_expr, const T& taken) {
  if (!s || !visit(s))
    return;
  if (std::optional<bool> known = s->kind == Stmt::If ? taken(s->expr) : std::nullopt)
    return walk(*known ? s->body : s->otherwise, visit, visit_expr, taken);
  for (const Expr* e : {s->expr, s->count, s->step})
    walk(e, visit_expr);
  for (const Expr* extent : s->extents)
    walk(extent, visit_expr);
  for (const Stmt* inner : {s->init, s->body, s->otherwise})
    walk(inner, visit, visit_expr, taken);
  for (const Stmt* inner : s->stmts)
    walk(inner, visit, visit_expr, taken);
  for (const Declarator& d : s->decls)
    walk(d.init, visit_expr);
  for (auto operands : {s->outputs, s->inputs})
    for (const AsmOperand& operand : operands)
      walk(operand.value, visit_expr);
}

} // namespace bsgp::ast
