// thread.get right behind a call that assigns ranks anew, as thread.sortby does: it finds threads by the ranks that they had
// before. Who names a rank that is computed there mostly means the new ones.
#include <unordered_set>

#include "expand/flattener.h"
#include "expand/visit.h"

namespace bsgp::expand {

namespace {

using Variables = std::unordered_set<const Variable*>;

// The call in the program that sets thread.oldrank in this superstep, if it is one of the library.
SourceRange reassignedBy(const FlatSuperstep& step) {
  SourceRange call{};
  for (const FlatItem& item : step.items)
    if (item.stmt && item.stmt->kind == Stmt::OldRank)
      call = item.called_at;
  return call;
}

// Adds the variables that get a value in this superstep.
void addChanged(Stmt* s, Variables& changed) {
  visitStmt(s, [&](Stmt* at) {
    if (at->kind == Stmt::Decl)
      changed.insert(at->variable);
    return true;
  });
  visitExprs(s, [&](Expr* e) {
    const Expr* root = isAssignment(*e) ? e->a : nullptr;
    while (root && root->kind != Expr::Var)
      root = root->a;
    if (root)
      changed.insert(root->variable);
    return true;
  });
}

// Is it a rank that a thread had found before?
bool isOfBefore(Expr* rank, const Variables& changed) {
  bool before = false, now = false;
  visitExpr(rank, [&](Expr* e) {
    bool of_thread = e->kind == Expr::Var && e->variable->side == Side::Device;
    before |= of_thread && !changed.contains(e->variable);
    now |= e->kind == Expr::ThreadRank || e->kind == Expr::ThreadSize || (of_thread && changed.contains(e->variable));
    return true;
  });
  return before && !now;
}

// thread.sortby of thread.sortby(key)
std::string_view nameOf(SourceRange call, const SourceManager& sources) {
  std::string_view text = sources.text(call);
  return text.substr(0, text.find_first_of("( \n"));
}

} // namespace

void warnOfOldRanks(FlatSpawn& spawn, Diagnostics& diag) {
  for (FlatSuperstep& step : spawn.supersteps) {
    SourceRange call = step.reassigned ? reassignedBy(step) : SourceRange{};
    if (!call.valid())
      continue;
    Variables changed;
    for (const FlatItem& item : step.items)
      addChanged(item.stmt, changed);
    for (const FlatItem& item : step.items)
      visitExprs(item.called_at.valid() ? nullptr : item.stmt, [&](Expr* e) {
        bool wrong = e->kind == Expr::Get && !isOfBefore(e->a, changed);
        if (wrong)
          diag.report(Diag::get_of_old_ranks, e->range, nameOf(call, diag.sources()));
        return !wrong;
      });
  }
}

} // namespace bsgp::expand
