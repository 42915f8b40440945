// Warns of a thread's own loop that assigns to a variable a thread.get of it: each iteration gets the same value,
// that of the last barrier. Such a program mostly means the iteration to end in a barrier.
#include <algorithm>
#include <unordered_set>

#include "expand/flattener.h"
#include "expand/visit.h"

namespace bsgp::expand {

namespace {

using Variables = std::unordered_set<const Variable*>;

const Variable* rootOf(const Expr* place) {
  while (place && place->kind != Expr::Var)
    place = place->a;
  return place ? place->variable : nullptr;
}

bool changes(const Expr& e) {
  return isAssignment(e) || e.kind == Expr::AddrOf;
}

// Collects the variables that an iteration declares or may change.
Variables changedIn(Stmt* loop) {
  Variables all;
  visitStmt(loop, [&](Stmt* at) {
    if (at->kind == Stmt::Decl)
      all.insert(at->variable);
    return true;
  });
  visitExprs(loop, [&](Expr* e) {
    if (changes(*e))
      all.insert(rootOf(e->a));
    for (size_t i = 0; e->kind == Expr::Call && i < std::min(e->args.size(), e->function->params.size()); ++i)
      if (e->function->params[i]->by_reference)
        all.insert(rootOf(e->args[i]));
    return true;
  });
  return all;
}

// True if the expression is the same in each iteration.
bool isSame(Expr* e, const Variables& changed) {
  bool same = true;
  visitExpr(e, [&](Expr* part) {
    bool memory = part->kind == Expr::Deref || part->kind == Expr::Index || part->kind == Expr::Get;
    same &= !memory && !(part->kind == Expr::Var && changed.count(part->variable));
    return same;
  });
  return same;
}

} // namespace

void warnOfRepeatedGets(FlatSpawn& spawn, Diagnostics& diag) {
  std::unordered_set<const Expr*> told; // of loops in each other
  auto look = [&](Stmt* loop) {
    Variables changed = changedIn(loop);
    visitExprs(loop, [&](Expr* e) {
      if (e->kind != Expr::Assign && e->kind != Expr::CompoundAssign)
        return true;
      visitExpr(e->b, [&](Expr* get) {
        if (get->kind == Expr::Get && rootOf(get->b) == rootOf(e->a) && isSame(get->a, changed) &&
            told.insert(get).second)
          diag.report(Diag::get_repeated, get->range, rootOf(get->b)->name);
        return true;
      });
      return true;
    });
  };
  for (FlatSuperstep& step : spawn.supersteps)
    for (FlatItem& item : step.items)
      visitStmt(item.stmt, [&](Stmt* at) {
        if (at->kind == Stmt::Loop)
          look(at);
        return true;
      });
}

} // namespace bsgp::expand
