// Finds where the pointers in a host function's variables come from.
#pragma once

#include <span>

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/DenseSet.h>
#include <llvm/ADT/SmallVector.h>

#include "expand/flat.h"

namespace bsgp::irgen {

// A part of a host function: the requires of one of its spawns, or (null) its own code.
using HostPart = const FlatSpawn*;

// A pointer is fresh in a part if that part has allocated its memory, or got it as a fresh argument; a variable, if
// all values ever assigned to it are. The order of the assignments does not matter.
class PointerFlow {
public:
  explicit PointerFlow(const Function& function);

  // The variables that have a value that is not fresh, when these parameters have.
  class Stale {
  public:
    bool isFresh(const Variable* variable, HostPart part) const;
    bool isFresh(Expr* pointer, HostPart part) const;

  private:
    friend PointerFlow;
    const PointerFlow* flow_ = nullptr;
    llvm::DenseSet<const Variable*> variables_;
  };
  Stale withFresh(const std::vector<bool>& parameters) const;

private:
  struct Node {
    HostPart part = nullptr; // that assigns it
    bool assigned = false;
    bool lost = false;                          // assigned in several parts, from anywhere, or behind our back
    llvm::SmallVector<const Variable*, 2> into; // the variables it is assigned to
  };
  void walk(Stmt* stmt, HostPart part);
  void visit(Expr* e, HostPart part);
  void lose(Expr* place);
  void assign(const Variable* variable, Expr* value, HostPart part);

  const Function& function_;
  llvm::DenseMap<const Variable*, Node> nodes_;
};

// Visits the statements of one part in order, outer before inner: the statements of a spawn are another part or
// device code.
template <class Visit> void forEachStmtOfPart(Stmt* s, const Visit& visit) {
  if (!s)
    return;
  visit(s);
  if (s->kind == Stmt::Spawn)
    return;
  for (Stmt* inner : {s->init, s->body, s->otherwise})
    forEachStmtOfPart(inner, visit);
  for (Stmt* inner : s->stmts)
    forEachStmtOfPart(inner, visit);
}

} // namespace bsgp::irgen
