// Shared variables that are read behind a barrier, and written in front of it alone: s[i] = x; barrier; y = s[0];
//
// A barrier ends the superstep, and with it what its shared variables hold. block.sync() was meant. Statements are taken in
// the order in which they run. A barrier in a branch or a loop counts in there, for behind it there may have been none. A
// variable that is written again is taken to be written where it is read.
#include <algorithm>
#include <unordered_map>
#include <vector>

#include "sema/warnings.h"

namespace bsgp::sema {

namespace {

class SharedWalk {
public:
  explicit SharedWalk(Diagnostics& diagnostics) : diagnostics_(diagnostics) {}

  void statement(const Stmt* s) {
    if (!s)
      return;
    switch (s->kind) {
    case Stmt::Require: // the host's
      return;
    case Stmt::Barrier:
      return barriers_.push_back({++clock_, s->range});
    case Stmt::If:
    case Stmt::Switch:
      value(s->expr);
      return maybe([&] { statement(s->body), statements(s->stmts); }, [&] { statement(s->otherwise); });
    case Stmt::Loop:
      statement(s->init);
      return maybe([&] { round(*s); }, [] {});
    default:
      value(s->expr), value(s->value);
      if (s->target)
        write(s->target);
      statement(s->init), statement(s->body), statement(s->otherwise), statements(s->stmts);
    }
  }

private:
  struct Barrier {
    unsigned time;
    SourceRange range;
  };

  void statements(std::span<Stmt* const> list) {
    for (const Stmt* s : list)
      statement(s);
  }

  void round(const Stmt& loop) {
    if (!loop.test_last)
      value(loop.expr);
    statement(loop.body);
    if (loop.test_last)
      value(loop.expr);
    value(loop.step);
  }

  // Two branches, of which one is taken: their barriers count in them alone.
  template <class F, class G> void maybe(const F& one, const G& other) {
    size_t certain = barriers_.size();
    one();
    barriers_.erase(barriers_.begin() + ptrdiff_t(certain), barriers_.end());
    other();
    barriers_.erase(barriers_.begin() + ptrdiff_t(certain), barriers_.end());
  }

  // Written, or out of sight.
  void write(const Expr* place) {
    for (; place && place->kind != Expr::Var; place = place->a) {
      value(place->b);
      if (place->kind == Expr::Deref || (place->kind == Expr::Index && place->a->type->isPointer()))
        return value(place->a);
    }
    if (place && place->variable->kind == Variable::Shared)
      written_[place->variable] = ++clock_;
  }

  void read(const Expr& e) {
    auto found = written_.find(e.variable);
    if (found == written_.end() || !e.range.valid())
      return;
    auto ending = std::ranges::upper_bound(barriers_, found->second, {}, &Barrier::time);
    if (ending == barriers_.end())
      return;
    diagnostics_.report(Diag::shared_behind_barrier, e.range, e.variable->name);
    diagnostics_.report(Diag::note_why, ending->range, "this barrier ends the superstep that wrote it");
    written_.erase(found); // once
  }

  void value(const Expr* e) {
    if (!e)
      return;
    switch (e->kind) {
    case Expr::Var:
      return read(*e);
    case Expr::Assign:
      value(e->b);
      return write(e->a);
    case Expr::CompoundAssign:
    case Expr::IncDec:
      value(e->b), value(e->a);
      return write(e->a);
    case Expr::AddrOf:
    case Expr::Decay:
      return write(e->a);
    case Expr::Call:
      for (size_t i = 0; i < e->args.size(); ++i)
        i < e->function->params.size() && e->function->params[i]->by_reference ? write(e->args[i]) : value(e->args[i]);
      return;
    default:
      value(e->a), value(e->b), value(e->c);
      for (const Expr* arg : e->args)
        value(arg);
    }
  }

  Diagnostics& diagnostics_;
  std::unordered_map<const Variable*, unsigned> written_; // when last
  std::vector<Barrier> barriers_;                         // that stand in front for certain
  unsigned clock_ = 0;                                    // counts writes and barriers
};

} // namespace

void warnOfShared(const Stmt& body, Diagnostics& diagnostics) {
  SharedWalk(diagnostics).statement(&body);
}

} // namespace bsgp::sema
