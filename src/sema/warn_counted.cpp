// Host variables that a loop in a spawn counts: for (int i = 0; i < 10; i++) c++;
//
// The host runs such a loop, for the sake of the count alone, and counts once for all threads. A loop around something else that is
// collective is the host's in any case, and may count its iterations.
#include <algorithm>

#include "sema/constant.h"
#include "sema/visit.h"
#include "sema/warnings.h"

namespace bsgp::sema {

namespace {

const Expr* withoutCasts(const Expr* e) {
  while (e->kind == Expr::Cast)
    e = e->a;
  return e;
}

// The variable of c = c + 1, as c++ is seen; null: it is no such statement.
const Variable* countedBy(const Stmt& s) {
  const Expr* assign = s.kind == Stmt::HostAssign && !s.variable ? s.expr : nullptr;
  const Expr* sum = assign && assign->a->kind == Expr::Var ? withoutCasts(assign->b) : nullptr;
  ConstValue one;
  bool counts = sum && sum->kind == Expr::Binary && sum->op == ast::BinaryOp::Add && constantValue(sum->b, one) &&
                withoutCasts(sum->a)->kind == Expr::Var && withoutCasts(sum->a)->variable == assign->a->variable &&
                sum->b->type->isInt() && one.integer == 1;
  return counts ? assign->a->variable : nullptr;
}

// Is the loop the host's for what it assigns to host variables, and for nothing else?
bool onlyAssigns(const Stmt& loop) {
  bool only = true;
  forEachStmt(loop.body, [&](const Stmt* s) {
    only &= s->kind != Stmt::Barrier && s->kind != Stmt::Require && s->kind != Stmt::Par && s->kind != Stmt::Put &&
            s->kind != Stmt::OldRank && s->kind != Stmt::Return && s->kind != Stmt::Break;
  });
  forEachExprIn(&loop, [&](const Expr* e) {
    only &= e->kind != Expr::Get && !(e->kind == Expr::Call && e->function->collective);
  });
  return only;
}

bool isWithin(const Variable& variable, SourceRange spawn) {
  return variable.range.begin >= spawn.begin && variable.range.end <= spawn.end;
}

class CountWalk {
public:
  CountWalk(SourceRange spawn, Diagnostics& diagnostics) : spawn_(spawn), diagnostics_(diagnostics) {}

  void statement(const Stmt* s, bool in_loop) {
    if (!s)
      return;
    if (s->kind == Stmt::Loop && s->host && (in_loop || onlyAssigns(*s)))
      return statement(s->body, true);
    if (s->kind == Stmt::Block || s->kind == Stmt::Sequence)
      std::ranges::for_each(s->stmts, [&](const Stmt* inner) { statement(inner, in_loop); });
    const Variable* counted = in_loop ? countedBy(*s) : nullptr;
    if (counted && !isWithin(*counted, spawn_) && s->range.valid())
      diagnostics_.report(Diag::counted_once, s->range, counted->name, counted->name);
  }

private:
  SourceRange spawn_;
  Diagnostics& diagnostics_;
};

} // namespace

void warnOfCountsInLoops(const Stmt& spawn, Diagnostics& diagnostics) {
  CountWalk(spawn.range, diagnostics).statement(spawn.body, false);
}

} // namespace bsgp::sema
