// Walks over the syntax tree of a function.
#pragma once

#include <optional>
#include <string>

#include "parse/ast.h"

namespace bsgp::sema {

template <class F> void walk(const ast::Expr* e, const F& visit) {
  if (!e)
    return;
  visit(e);
  walk(e->a, visit), walk(e->b, visit), walk(e->c, visit);
  for (const ast::Expr* arg : e->args)
    walk(arg, visit);
}

// The arms of an if that `taken` says something of: true the first, false the other one.
template <class S, class E, class T>
void walk(const ast::Stmt* s, const S& visit, const E& visit_expr, const T& taken) {
  if (!s || !visit(s))
    return;
  if (std::optional<bool> known = s->kind == ast::Stmt::If ? taken(s->expr) : std::nullopt)
    return walk(*known ? s->body : s->otherwise, visit, visit_expr, taken);
  for (const ast::Expr* e : {s->expr, s->count, s->step})
    walk(e, visit_expr);
  for (const ast::Stmt* inner : {s->init, s->body, s->otherwise})
    walk(inner, visit, visit_expr, taken);
  for (const ast::Stmt* inner : s->stmts)
    walk(inner, visit, visit_expr, taken);
  for (const ast::Declarator& d : s->decls)
    walk(d.init, visit_expr);
  for (auto operands : {s->outputs, s->inputs})
    for (const ast::AsmOperand& operand : operands)
      walk(operand.value, visit_expr);
}

// f, thread.f, block.f, warp.f; empty for what is called otherwise.
inline std::string calledName(const ast::Expr* callee) {
  switch (callee->kind) {
  case ast::Expr::Name:
    return std::string(callee->name);
  case ast::Expr::Thread:
    return "thread." + std::string(callee->name);
  case ast::Expr::Block:
    return "block." + std::string(callee->name);
  case ast::Expr::Warp:
    return "warp." + std::string(callee->name);
  default:
    return {};
  }
}

} // namespace bsgp::sema
