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
