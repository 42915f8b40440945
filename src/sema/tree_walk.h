// Facts that the text of a function shows before it is checked.
#pragma once

#include <string>

#include "parse/walk.h"

namespace bsgp::sema {

// Collective by itself: barrier, require, par; thread.get, thread.put, thread.oldrank.
inline bool isCollective(const ast::Stmt& s) {
  return s.kind == ast::Stmt::Barrier || s.kind == ast::Stmt::Require || s.kind == ast::Stmt::Par;
}
// get and put are collective but do not make control flow the host's.
inline bool isExchange(const ast::Expr& e) {
  return e.kind == ast::Expr::Thread && (e.name == "get" || e.name == "put");
}
inline bool isCollective(const ast::Expr& e) {
  return e.kind == ast::Expr::Thread && (isExchange(e) || e.name == "oldrank");
}

// f, thread.f, block.f, warp.f; empty for other callees.
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

// i++, --i
inline bool isCount(const ast::Expr* e) {
  return e->kind == ast::Expr::Unary && e->unary >= ast::UnaryOp::PreInc && e->unary <= ast::UnaryOp::PostDec;
}

// s.f(...), p->f(...)
inline bool isMethodCall(const ast::Expr& call) {
  return call.a->kind == ast::Expr::Member || call.a->kind == ast::Expr::Arrow;
}

// The variable of another thread in thread.get(rank, v), thread.put(x, y, v, value); null: another call.
inline const ast::Expr* variableReached(const ast::Expr& call) {
  bool get = call.a->kind == ast::Expr::Thread && call.a->name == "get";
  bool put = call.a->kind == ast::Expr::Thread && call.a->name == "put";
  size_t behind = put ? 2 : 1; // what stands from the variable on; in front of it one rank, or a place
  bool complete = call.args.size() > behind && call.args.size() <= behind + ast::kMostExtents;
  return (get || put) && complete ? call.args[call.args.size() - behind] : nullptr;
}

inline size_t argumentCount(const ast::Expr& call) {
  return call.args.size() + isMethodCall(call);
}

// Visits each argument with the number of its parameter: the first one of a method is the value before the dot.
template <class F> void eachArgument(const ast::Expr& call, const F& visit) {
  size_t at = 0;
  if (isMethodCall(call))
    visit(at++, call.a->a);
  for (const ast::Expr* argument : call.args)
    visit(at++, argument);
}

} // namespace bsgp::sema
