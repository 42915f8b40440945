#include "expand/clone.h"

namespace bsgp::expand {

namespace {

// At run time, or in a call.
bool mayFail(const Expr* e) {
  bool memory = e->builtin >= Builtin::New && e->builtin <= Builtin::DListAppend;
  return e->kind == Expr::Call || (e->kind == Expr::BuiltinCall && e->builtin == Builtin::Uses) ||
         (e->kind == Expr::Assign && e->type->holds_lists) ||
         (e->kind == Expr::BuiltinCall && (e->builtin == Builtin::Assert || memory));
}

} // namespace

Variable* Cloner::renew(Variable* variable) {
  if (keeps_variables_)
    return variable;
  auto* copy = program_.arena.make<Variable>(*variable);
  renamed_[variable] = copy;
  if (copy->side == Side::Host && host_)
    host_->locals.push_back(copy);
  return copy;
}

Expr* Cloner::clone(Expr* e) {
  if (!e)
    return nullptr;
  ++made_;
  if (e->kind == Expr::Var) {
    if (auto it = substitutes_.find(e->variable); it != substitutes_.end()) {
      Cloner plain(program_, host_); // each use gets nodes of its own
      return plain.clone(it->second);
    }
  }
  Expr* copy = nodes_.like(e);
  if (position_of_copies_.valid() && mayFail(e))
    copy->range = position_of_copies_;
  if (e->kind == Expr::Var)
    if (auto it = renamed_.find(e->variable); it != renamed_.end())
      copy->variable = it->second;
  copy->a = clone(e->a), copy->b = clone(e->b), copy->c = clone(e->c);
  std::vector<Expr*> args;
  for (Expr* arg : e->args)
    args.push_back(arg == e->a ? copy->a : clone(arg));
  copy->args = nodes_.keep(args);
  return copy;
}

Stmt* Cloner::clone(Stmt* s) {
  if (!s)
    return nullptr;
  ++made_;
  Stmt* copy = nodes_.like(s);
  if (s->kind == Stmt::HostAssign && s->variable)
    copy->variable = renew(s->variable);
  copy->init = clone(
      s->init); // in the order of scopes: the condition of a loop sees what init, and of a do what its body declares
  if (s->test_last)
    copy->body = clone(s->body);
  copy->expr = clone(s->expr), copy->target = clone(s->target), copy->value = clone(s->value),
  copy->step = clone(s->step);
  if (s->kind == Stmt::Decl) // after its initializer, which may name an outer variable
    copy->variable = renew(s->variable);
  if (!s->test_last)
    copy->body = clone(s->body);
  copy->otherwise = clone(s->otherwise);
  std::vector<Stmt*> stmts;
  for (Stmt* inner : s->stmts)
    stmts.push_back(clone(inner));
  copy->stmts = nodes_.keep(stmts);
  return copy;
}

} // namespace bsgp::expand
