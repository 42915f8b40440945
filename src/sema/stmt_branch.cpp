#include "sema/stmt_branch.h"

#include <set>

#include "sema/body.h"
#include "sema/constant.h"
#include "sema/convert.h"
#include "sema/expr_operators.h"
#include "sema/expressions.h"
#include "sema/host_flow.h"
#include "sema/scopes.h"
#include "sema/statements.h"

namespace bsgp::sema {

// Under a constant condition there is no control flow: the arm that is taken stands in the if's place, and the other
// one is not looked at, for it may make sense on another target alone.
Stmt* ifStmt(Body& body, const ast::Stmt* s) {
  Stmt* made = body.sema.nodes.make(Stmt::If, s->range);
  made->expr = condition(body, s->expr);
  if (std::optional<bool> known = constantCondition(made->expr)) {
    const ast::Stmt* taken = *known ? s->body : s->otherwise;
    return taken ? stmt(body, taken) : nullptr;
  }
  body.flow.enclosing.push_back({made->expr, s->expr->range, Construct::If, nullptr, false, made, body.mode.in_par,
                                 isHostFlow(body, s, *made), partedBy(body, s)});
  body.flow.enclosing.back().written = s->expr;
  made->body = stmt(body, s->body);
  body.flow.enclosing.back().negated = true;
  made->otherwise = s->otherwise ? stmt(body, s->otherwise) : nullptr;
  body.flow.enclosing.pop_back();
  return made->expr->type->isError() ? nullptr : made;
}

Stmt* switchStmt(Body& body, const ast::Stmt* s) {
  Expr* value = rvalue(body, s->expr);
  if (value->type->isError())
    return nullptr;
  if (!value->type->isInt() && !value->type->isBool()) {
    body.sema.diag.report(Diag::bad_switch, s->expr->range, typeName(value->type));
    return nullptr;
  }
  Stmt* made = body.sema.nodes.make(Stmt::Switch, s->range);
  made->expr = cast(body, value, promoted(body.sema, value->type));
  std::vector<SwitchCase> cases;
  std::vector<Stmt*> list;
  std::set<int64_t> seen;
  bool has_default = false;
  body.flow.enclosing.push_back({made->expr, s->expr->range, Construct::Switch, nullptr, false, made, body.mode.in_par,
                                 isHostFlow(body, s, *made), partedBy(body, s)});
  ++body.mode.switches;
  pushScope(body);
  for (const ast::Stmt* inner : s->body->stmts) {
    if (inner->kind == ast::Stmt::Default) {
      if (has_default)
        body.sema.diag.report(Diag::duplicate_case, inner->range, "default");
      has_default = true;
      cases.push_back({0, true, static_cast<uint32_t>(list.size())});
      continue;
    }
    if (inner->kind != ast::Stmt::Case) {
      if (Stmt* one = stmt(body, inner))
        list.push_back(one);
      continue;
    }
    ConstValue label;
    Expr* e = rvalue(body, inner->expr);
    if (e->type->isError())
      continue;
    if (e->type->isScalar() && !e->type->isFloat()) // as in C: what two labels become may be one number
      e = cast(body, e, made->expr->type);
    if (!constantValue(e, label) || e->type->isFloat())
      body.sema.diag.report(Diag::not_constant, inner->expr->range, "a case label");
    else if (!seen.insert(label.integer).second)
      body.sema.diag.report(Diag::duplicate_case, inner->range, label.integer);
    cases.push_back({label.integer, false, static_cast<uint32_t>(list.size())});
  }
  popScope(body, "the switch");
  --body.mode.switches;
  body.flow.enclosing.pop_back();
  made->cases = body.sema.nodes.keep(cases);
  made->stmts = body.sema.nodes.keep(list);
  return made;
}

} // namespace bsgp::sema
