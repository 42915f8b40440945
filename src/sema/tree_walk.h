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

// Collective by itself: barrier, require, par; thread.get, thread.put, thread.oldrank.
inline bool isCollective(const ast::Stmt& s) {
  return s.kind == ast::Stmt::Barrier || s.kind == ast::Stmt::Require || s.kind == ast::Stmt::Par;
}
inline bool isCollective(const ast::Expr& e) {
  return e.kind == ast::Expr::Thread && (e.name == "get" || e.name == "put" || e.name == "oldrank");
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

// s.f(...), p->f(...)
inline bool isMethodCall(const ast::Expr& call) {
  return call.a->kind == ast::Expr::Member || call.a->kind == ast::Expr::Arrow;
}

inline size_t argumentCount(const ast::Expr& call) {
  return call.args.size() + isMethodCall(call);
}

// With the number of its parameter: of a method what stands before the dot is the first.
template <class F> void eachArgument(const ast::Expr& call, const F& visit) {
  size_t at = 0;
  if (isMethodCall(call))
    visit(at++, call.a->a);
  for (const ast::Expr* argument : call.args)
    visit(at++, argument);
}

} // namespace bsgp::sema
