// Makes the nodes of a typed program, in its arena.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "sema/program.h"

namespace bsgp::sema {

struct Nodes {
  Arena& arena;
  bool strict = false; // mark of the expressions made: they stand in a strict function

  Expr* make(Expr::Kind kind, const Type* type, SourceRange range) {
    Expr* e = arena.make<Expr>();
    e->kind = kind, e->type = type, e->range = range, e->strict = strict;
    return e;
  }
  Stmt* make(Stmt::Kind kind, SourceRange range) {
    Stmt* s = arena.make<Stmt>();
    s->kind = kind, s->range = range;
    return s;
  }
  // A copy of the node alone: it has the same parts.
  Expr* like(const Expr* e) {
    Expr* copy = arena.make<Expr>(*e);
    copy->varies = false; // its parts may become constants
    return copy;
  }
  Stmt* like(const Stmt* s) { return arena.make<Stmt>(*s); }

  // The variable, as a value or a place.
  Expr* use(Variable* variable, SourceRange range) {
    Expr* e = make(Expr::Var, variable->type, range);
    e->variable = variable;
    return e;
  }
  Expr* constant(const ConstValue& value, const Type* type, SourceRange range) {
    Expr* e = make(Expr::Constant, type, range);
    e->value = value;
    return e;
  }
  // `value` has the type of the place.
  Expr* assign(Expr* place, Expr* value, SourceRange range) {
    Expr* e = make(Expr::Assign, place->type, range);
    e->a = place, e->b = value;
    return e;
  }
  Expr* binary(ast::BinaryOp op, Expr* a, Expr* b, const Type* type, SourceRange range) {
    Expr* e = make(Expr::Binary, type, range);
    e->op = op, e->a = a, e->b = b;
    return e;
  }
  // condition ? a : b, which have one type
  Expr* choice(Expr* condition, Expr* a, Expr* b, SourceRange range) {
    Expr* e = make(Expr::Conditional, a->type, range);
    e->a = condition, e->b = a, e->c = b;
    return e;
  }

  // The declaration of a variable; `first` is its value, or null.
  Stmt* declaration(Variable* variable, Expr* first, SourceRange range) {
    Stmt* s = make(Stmt::Decl, range);
    s->variable = variable, s->expr = first;
    return s;
  }
  Stmt* statement(Expr* e, SourceRange range) {
    Stmt* s = make(Stmt::Expr, range);
    s->expr = e;
    return s;
  }
  Stmt* sequence(const std::vector<Stmt*>& list, SourceRange range) {
    Stmt* s = make(Stmt::Sequence, range);
    s->stmts = keep(list);
    return s;
  }

  // The list, in the arena.
  template <class T> std::span<T> keep(const std::vector<T>& list) {
    if (list.empty())
      return {};
    T* to = static_cast<T*>(arena.allocate(sizeof(T) * list.size(), alignof(T)));
    std::uninitialized_copy(list.begin(), list.end(), to);
    return {to, list.size()};
  }
  // A copy of the expression with nodes of its own.
  Expr* copyOf(const Expr* e);
};

} // namespace bsgp::sema
