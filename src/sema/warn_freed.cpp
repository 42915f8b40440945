// Memory that is used or freed behind its release, in one block of host code: delete p; p[0] = 1;
//
// The statements of a block run one after the other. What is freed in a branch is freed for the rest of the branch.
#include <unordered_map>

#include "sema/visit.h"
#include "sema/warnings.h"

namespace bsgp::sema {

namespace {

// The local pointer that a call frees; null: it frees none.
const Expr* freedBy(const Expr* call) {
  bool frees =
      call && call->kind == Expr::BuiltinCall && (call->builtin == Builtin::Delete || call->builtin == Builtin::Dfree);
  const Expr* pointer = frees ? call->a : nullptr;
  while (pointer && pointer->kind == Expr::Cast)
    pointer = pointer->a;
  bool is_local = pointer && pointer->kind == Expr::Var && pointer->variable->kind == Variable::Local &&
                  !pointer->variable->by_reference && !pointer->variable->address_taken && pointer->range.valid();
  return is_local ? pointer : nullptr;
}

class FreedBlock {
public:
  explicit FreedBlock(Diagnostics& diagnostics) : diagnostics_(diagnostics) {}

  void statements(std::span<Stmt* const> list) {
    for (const Stmt* s : list) {
      if (s->kind == Stmt::Sequence) {
        statements(s->stmts);
        continue;
      }
      const Expr* freed = s->kind == Stmt::Expr ? freedBy(s->expr) : nullptr;
      if (freed && tell(*freed, Diag::freed_twice))
        continue;
      statement(s);
      if (freed)
        freed_[freed->variable] = freed->range;
    }
  }

private:
  void statement(const Stmt* s) {
    if (!s || freed_.empty())
      return;
    if (s->kind == Stmt::Decl)
      freed_.erase(s->variable); // the one of the iteration before
    for (const Expr* e : {s->expr, s->target, s->value})
      expression(e);
    for (const Stmt* part : {s->init, s->body, s->otherwise})
      statement(part);
    for (const Stmt* part : s->stmts)
      statement(part);
    expression(s->step);
  }

  void expression(const Expr* e) {
    if (!e || freed_.empty())
      return;
    if (e->kind == Expr::Assign && e->a->kind == Expr::Var) {
      expression(e->b);
      freed_.erase(e->a->variable);
      return;
    }
    if (e->kind == Expr::AddrOf && e->a->kind == Expr::Var)
      freed_.erase(e->a->variable);
    bool compares = e->kind == Expr::Binary && e->a->type->isPointer();
    if (compares)
      return;
    if (e->kind == Expr::Call)
      return call(*e);
    if (const Expr* freed = freedBy(e); freed && tell(*freed, Diag::freed_twice))
      return;
    if (e->kind == Expr::Var)
      tell(*e, Diag::used_after_free);
    for (const Expr* part : {e->a, e->b, e->c})
      expression(part);
    for (const Expr* arg : e->args)
      expression(arg);
  }

  void call(const Expr& e) {
    for (size_t i = 0; i < e.args.size(); ++i) {
      bool may_assign = i < e.function->params.size() && e.function->params[i]->by_reference;
      if (may_assign && e.args[i]->kind == Expr::Var)
        freed_.erase(e.args[i]->variable);
      expression(e.args[i]);
    }
  }

  // False: it was not freed.
  bool tell(const Expr& use, Diag kind) {
    auto found = freed_.find(use.variable);
    if (found == freed_.end() || !use.range.valid())
      return false;
    diagnostics_.report(kind, use.range, use.variable->name);
    diagnostics_.report(Diag::note_freed, found->second, use.variable->name);
    freed_.erase(found);
    return true;
  }

  Diagnostics& diagnostics_;
  std::unordered_map<const Variable*, SourceRange> freed_; // where
};

} // namespace

void warnOfFreed(const Stmt& body, Diagnostics& diagnostics) {
  forEachStmt(&body, [&](const Stmt* s) {
    if (s->kind == Stmt::Block)
      FreedBlock(diagnostics).statements(s->stmts);
  });
}

} // namespace bsgp::sema
