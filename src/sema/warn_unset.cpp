// Variables that are declared without a value, and read where nothing can have been assigned to them: int s; s += i;
//
// Statements are taken in the order in which they run. If the first use of such a variable is a read, it has no
// value, but for one case: in an iteration of a loop, after a condition has left the read out of earlier iterations,
// in which the variable was assigned. That is not reported.
#include <string_view>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "sema/binary_operators.h"
#include "sema/warnings.h"

namespace bsgp::sema {

namespace {

class UnsetWalk {
public:
  explicit UnsetWalk(Diagnostics& diagnostics) : diagnostics_(diagnostics) {}

  void statement(const Stmt* s) {
    if (!s)
      return;
    switch (s->kind) {
    case Stmt::Decl:
      value(s->expr);
      if (!s->expr && mayBeUnset(*s->variable))
        unset_[s->variable] = {loops_, s->variable->range};
      return;
    case Stmt::If:
      value(s->expr);
      maybe([&] { statement(s->body); });
      maybe([&] { statement(s->otherwise); });
      return;
    case Stmt::Switch:
      value(s->expr);
      maybe([&] { statements(s->stmts); });
      return;
    case Stmt::Loop:
      return loop(*s);
    case Stmt::Break:
    case Stmt::Continue:
    case Stmt::Return:
      value(s->expr);
      left_ = true;
      return;
    case Stmt::Put:
      value(s->expr), value(s->value), forget(s->target);
      return;
    case Stmt::Spawn: {
      bool left = std::exchange(left_, false);
      value(s->expr), statement(s->body);
      left_ = left;
      return;
    }
    default:
      value(s->expr), statement(s->init), statement(s->body), statement(s->otherwise), statements(s->stmts);
      return;
    }
  }

private:
  struct Unset {
    unsigned loops; // around its declaration
    SourceRange declared;
  };

  static bool mayBeUnset(const Variable& v) {
    bool plain = v.type->isScalar() || v.type->isVector() || v.type->isPointer();
    return plain && v.kind == Variable::Local && !v.by_reference && !v.is_kept && v.range.valid();
  }

  void statements(std::span<Stmt* const> list) {
    for (const Stmt* s : list)
      statement(s);
  }

  // Looks at a part that only some iterations run.
  template <class F> void maybe(const F& run) {
    unsigned outer = std::exchange(conditional_in_, loops_);
    run();
    conditional_in_ = outer;
  }

  void loop(const Stmt& s) {
    statement(s.init);
    bool outer_left = std::exchange(left_, false);
    ++loops_;
    if (!s.test_last)
      value(s.expr);
    // An iteration of a loop further out may have none of this one.
    unsigned outer_condition = conditional_in_;
    if (!s.test_last)
      conditional_in_ = loops_ - 1;
    statement(s.body);
    if (s.test_last)
      value(s.expr);
    value(s.step);
    conditional_in_ = outer_condition;
    --loops_;
    left_ = outer_left;
  }

  // Assigned, or out of sight.
  void forget(const Expr* place) {
    while (place && place->kind != Expr::Var) {
      value(place->b);
      place = place->kind == Expr::Index && place->a->type->isPointer() ? (value(place->a), nullptr) : place->a;
    }
    if (place)
      unset_.erase(place->variable);
  }

  // The value with which a sum, a product, ... begins.
  static std::string_view beginOf(const Expr& change) {
    const Gathering* gathering = gatheringOf(change.op);
    if (!gathering)
      return "...";
    if (change.a->type->isBool() && change.op != ast::BinaryOp::Mul)
      return change.op == ast::BinaryOp::BitAnd ? "true" : "false";
    return change.a->type->isPointer() ? "NULL" : gathering->begin;
  }

  // first: a value to begin with, as it is written; "...": the program alone knows it.
  void read(const Expr& e, std::string_view first = "...") {
    auto found = unset_.find(e.variable);
    if (found == unset_.end())
      return;
    bool in_rounds = loops_ > found->second.loops; // of a loop around the read that the declaration stands before
    bool of_some = in_rounds && (conditional_in_ > found->second.loops || left_);
    if (!of_some && e.range.valid()) {
      diagnostics_.report(Diag::unset_variable, e.range, e.variable->name,
                          fmt::format("{} {} = {};", typeName(e.variable->type), e.variable->name, first));
      diagnostics_.report(Diag::note_declared, found->second.declared, e.variable->name);
    }
    unset_.erase(found);
  }

  void value(const Expr* e) {
    if (!e)
      return;
    switch (e->kind) {
    case Expr::Var:
      return read(*e);
    case Expr::Assign:
      value(e->b);
      return forget(e->a);
    case Expr::CompoundAssign:
    case Expr::IncDec:
      value(e->b);
      return e->a->kind == Expr::Var ? read(*e->a, beginOf(*e)) : value(e->a);
    case Expr::AddrOf:
    case Expr::Decay:
      return forget(e->a);
    case Expr::Get: // of another thread's
      value(e->a);
      return forget(e->b);
    case Expr::LogicalAnd:
    case Expr::LogicalOr:
      value(e->a);
      return maybe([&] { value(e->b); });
    case Expr::Conditional:
      value(e->a);
      maybe([&] { value(e->b); });
      return maybe([&] { value(e->c); });
    case Expr::Comma: // (void)x
      e->type->isVoid() && e->a->kind == Expr::Var ? forget(e->a) : value(e->a);
      return value(e->b);
    case Expr::Call:
      for (size_t i = 0; i < e->args.size(); ++i)
        i < e->function->params.size() && e->function->params[i]->by_reference ? forget(e->args[i]) : value(e->args[i]);
      return;
    case Expr::BuiltinCall:
      for (const Expr* arg : e->args)
        e->builtin == Builtin::Asm || e->builtin == Builtin::Uses ? forget(arg) : value(arg);
      break;
    default:
      for (const Expr* arg : e->args)
        value(arg);
      break;
    }
    value(e->a), value(e->b), value(e->c);
  }

  Diagnostics& diagnostics_;
  std::unordered_map<const Variable*, Unset> unset_;
  unsigned loops_ = 0;          // around
  unsigned conditional_in_ = 0; // how many of them are around the innermost condition
  bool left_ = false;           // some threads, or iterations, have left the innermost loop, or its iteration
};

} // namespace

void warnOfUnset(const Stmt& body, Diagnostics& diagnostics) {
  UnsetWalk(diagnostics).statement(&body);
}

} // namespace bsgp::sema
