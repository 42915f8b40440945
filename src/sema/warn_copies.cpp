// Loops of host code that copy lists or device memory element by element, where one copy would take all.
//
// A loop is silent that has three iterations at most, that starts threads, or that goes on as the copied elements say: a stack of
// work ends where the elements that are taken from it push no others.
#include <algorithm>
#include <optional>
#include <unordered_set>

#include "sema/constant.h"
#include "sema/sema.h"
#include "sema/visit.h"
#include "sema/warnings.h"

namespace bsgp::sema {

namespace {

constexpr int64_t kFew = 3; // iterations

// A copy of one element, in host code.
bool copies(const Expr& e) {
  bool of_list = e.kind == Expr::Index && e.a->kind == Expr::DListData;
  bool by_call = e.kind == Expr::BuiltinCall &&
                 (e.builtin == Builtin::Peek || e.builtin == Builtin::Poke || e.builtin == Builtin::DListAppend);
  return of_list || by_call;
}

// The number of iterations of for (i = A; i < B; i++); 0: it is not known.
int64_t knownIterations(const Stmt& loop) {
  const Stmt* init = loop.init;
  bool declares = init && init->kind == Stmt::Decl, counts = loop.step && loop.step->kind == Expr::IncDec;
  const Expr* first = declares                                                               ? init->expr
                      : init && init->kind == Stmt::Expr && init->expr->kind == Expr::Assign ? init->expr->b
                                                                                             : nullptr;
  bool compares = loop.expr && loop.expr->kind == Expr::Binary;
  ConstValue from, to;
  if (!first || !counts || !compares || !constantValue(first, from) || !constantValue(loop.expr->b, to))
    return 0;
  int64_t between = to.integer - from.integer;
  return loop.expr->op == ast::BinaryOp::Lt ? between : loop.expr->op == ast::BinaryOp::Le ? between + 1 : 0;
}

bool startsThreads(const Stmt& loop) {
  bool found = false;
  forEachStmt(&loop, [&](const Stmt* s) { found |= s->kind == Stmt::Spawn; });
  forEachExprIn(&loop, [&](const Expr* e) { found |= e->kind == Expr::Call && e->function->has_spawn; });
  return found;
}

// The variables of a loop that its copied elements decide about, from iteration to iteration.
class Carried {
public:
  explicit Carried(const Stmt& loop) : loop_(loop) {
    forEachStmt(loop.body, [&](const Stmt* s) {
      if (s->kind == Stmt::Decl)
        own_.insert(s->variable);
    });
    size_t before = 0;
    do {
      before = decided_.size();
      take(loop.body, holds(loop.expr));
      assignmentsIn(loop.step, false);
    } while (decided_.size() != before);
  }

  // Do they decide the place of a copy in a loop within, and how far this loop goes on by the same variable? A stack of work.
  bool decidePlaceOf(const Expr& copy) const {
    bool found = false;
    visitExpr(copy.builtin == Builtin::DListAppend ? copy.a : copy.b, [&](const Expr* part) {
      found |= part->kind == Expr::Var && decided_.contains(part->variable) && names(loop_.expr, part->variable);
      return !found;
    });
    return found;
  }

  // Do they decide whether another iteration follows, or which elements it copies?
  bool decideOfNext() const {
    bool found = leaves_ || holds(loop_.expr);
    forEachExprIn(&loop_, [&](const Expr* e) {
      if (copies(*e) && e->b && e->builtin != Builtin::DListAppend)
        visitExpr(static_cast<const Expr*>(e->b), [&](const Expr* part) {
          found |= part->kind == Expr::Var && decided_.contains(part->variable) && !own_.contains(part->variable);
          return true;
        });
    });
    return found;
  }

private:
  static bool names(const Expr* e, const Variable* variable) {
    bool found = false;
    visitExpr(e, [&](const Expr* part) { return !(found |= part->kind == Expr::Var && part->variable == variable); });
    return found;
  }

  bool holds(const Expr* e) const {
    bool found = false;
    visitExpr(e, [&](const Expr* part) {
      found |= copies(*part) || (part->kind == Expr::Var && decided_.contains(part->variable));
      return !found;
    });
    return found;
  }

  void assignmentsIn(const Expr* e, bool decided) {
    visitExpr(e, [&](const Expr* part) {
      bool grows = part->kind == Expr::BuiltinCall && part->builtin == Builtin::DListAppend && decided;
      bool resizes =
          part->kind == Expr::BuiltinCall && part->builtin == Builtin::DListResize && (decided || holds(part->b));
      if (grows || resizes || (isAssignment(*part) && (decided || holds(part->b))))
        if (const Variable* root = rootVariable(part->a))
          decided_.insert(root);
      return true;
    });
  }

  // `decided`: an element decides whether it runs.
  void take(const Stmt* s, bool decided) {
    if (!s)
      return;
    leaves_ |= decided && (s->kind == Stmt::Break || s->kind == Stmt::Return);
    if (s->kind == Stmt::Decl && s->expr && (decided || holds(s->expr)))
      decided_.insert(s->variable);
    for (const Expr* e : {s->expr, s->step})
      assignmentsIn(e, decided);
    bool inside =
        decided || holds(s->kind == Stmt::If || s->kind == Stmt::Loop || s->kind == Stmt::Switch ? s->expr : nullptr);
    for (const Stmt* part : {s->init, s->body, s->otherwise})
      take(part, inside);
    for (const Stmt* part : s->stmts)
      take(part, inside);
  }

  const Stmt& loop_;
  std::unordered_set<const Variable*> decided_, own_;
  bool leaves_ = false;
};

class CopyWalk {
public:
  explicit CopyWalk(Diagnostics& diagnostics) : diagnostics_(diagnostics) {}

  void statement(const Stmt* s, bool on_host) {
    if (!s)
      return;
    if (s->kind == Stmt::Spawn || s->kind == Stmt::Require)
      return apart(*s);
    if (s->kind == Stmt::Loop && on_host)
      return loop(*s);
    if (on_host)
      expression(s->expr);
    for (const Stmt* part : {s->init, s->body, s->otherwise})
      statement(part, on_host);
    for (const Stmt* part : s->stmts)
      statement(part, on_host);
  }

private:
  struct Around {
    const Stmt* loop;
    std::optional<Carried> carried; // made where it is asked for
    std::optional<bool> needs_them; // one by one; not known yet
  };

  // Threads copy nothing, and a require runs once in its superstep.
  void apart(const Stmt& s) {
    std::vector<Around> outer = std::exchange(loops_, {});
    bool told = std::exchange(told_, false);
    statement(s.body, s.kind == Stmt::Require);
    loops_ = std::move(outer), told_ = told;
  }

  void loop(const Stmt& s) {
    told_ &= !loops_.empty();
    statement(s.init, true);
    loops_.push_back({&s, std::nullopt, std::nullopt});
    expression(s.expr);
    statement(s.body, true);
    expression(s.step);
    loops_.pop_back();
  }

  void expression(const Expr* e) {
    visitExpr(e, [&](const Expr* part) {
      if (!told_ && !loops_.empty() && copies(*part) && part->range.valid() && mayBeOne(*part)) {
        diagnostics_.report(Diag::copy_in_loop, part->range);
        told_ = true; // once for each loop that no other loop is around
      }
      return !told_;
    });
  }

  static const Carried& carriedBy(Around& around) {
    if (!around.carried)
      around.carried.emplace(*around.loop);
    return *around.carried;
  }

  // Could one copy take the place of this one in the iterations of the innermost loop?
  bool mayBeOne(const Expr& copy) {
    int64_t all = 1;
    for (const Around& around : loops_)
      all = all && all <= kFew ? all * knownIterations(*around.loop) : 0;
    bool few = all > 0 && all <= kFew;
    Around& innermost = loops_.back();
    if (!few && !innermost.needs_them)
      innermost.needs_them = startsThreads(*innermost.loop) || carriedBy(innermost).decideOfNext();
    return !few && !*innermost.needs_them &&
           std::ranges::none_of(loops_, [&](Around& around) { return carriedBy(around).decidePlaceOf(copy); });
  }

  Diagnostics& diagnostics_;
  std::vector<Around> loops_; // around, outermost first
  bool told_ = false;
};

} // namespace

void warnOfCopies(const Function& function, Diagnostics& diagnostics) {
  CopyWalk(diagnostics).statement(function.body, function.side == Side::Host);
}

} // namespace bsgp::sema
