#include "sema/missing_return.h"

#include <algorithm>

#include "sema/body.h"
#include "sema/constant.h"
#include "sema/visit.h"

namespace bsgp::sema {

namespace {

bool goesOn(const Stmt* s);

bool goesOn(std::span<Stmt* const> list) {
  return std::all_of(list.begin(), list.end(), [](const Stmt* s) { return goesOn(s); });
}

// Does s contain a jump of this kind out of the loop or switch that it stands in?
bool jumps(const Stmt* s, Stmt::Kind kind) {
  if (!s || s->kind == Stmt::Loop || (s->kind == Stmt::Switch && kind == Stmt::Break) || s->kind == Stmt::Spawn)
    return false;
  return s->kind == kind || jumps(s->body, kind) || jumps(s->otherwise, kind) ||
         std::any_of(s->stmts.begin(), s->stmts.end(), [&](const Stmt* inner) { return jumps(inner, kind); });
}

bool jumpsOut(const Stmt& s, Stmt::Kind kind) {
  return jumps(s.body, kind) ||
         std::any_of(s.stmts.begin(), s.stmts.end(), [&](const Stmt* inner) { return jumps(inner, kind); });
}

bool isAlways(const Expr* condition, bool value) {
  ConstValue known;
  return condition && constantValue(condition, known) && (known.integer != 0) == value;
}

bool callGoesOn(const Expr& e) {
  if (e.kind == Expr::BuiltinCall)
    return e.builtin != Builtin::Assert || !isAlways(e.a, false);
  bool ends =
      e.kind == Expr::Call && e.function->is_extern && (e.function->name == "exit" || e.function->name == "abort");
  return !ends;
}

bool loopGoesOn(const Stmt& s) {
  bool endless = !s.expr || isAlways(s.expr, true);
  if (jumpsOut(s, Stmt::Break))
    return true;
  if (s.test_last && !goesOn(s.body) && !jumpsOut(s, Stmt::Continue))
    return false;
  return !endless;
}

// Its sections fall into each other: the last one, which the others come to, decides.
bool switchGoesOn(const Stmt& s) {
  bool has_default =
      std::any_of(s.cases.begin(), s.cases.end(), [](const SwitchCase& label) { return label.is_default; });
  if (!has_default || jumpsOut(s, Stmt::Break))
    return true;
  size_t last = 0;
  for (const SwitchCase& label : s.cases)
    last = std::max<size_t>(last, label.first);
  return goesOn(s.stmts.subspan(last));
}

bool goesOn(const Stmt* s) {
  if (!s)
    return true;
  switch (s->kind) {
  case Stmt::Expr:
    return callGoesOn(*s->expr);
  case Stmt::Block:
  case Stmt::Sequence:
  case Stmt::Par:
    return goesOn(s->stmts);
  case Stmt::If:
    return goesOn(s->body) || goesOn(s->otherwise);
  case Stmt::Loop:
    return loopGoesOn(*s);
  case Stmt::Switch:
    return switchGoesOn(*s);
  case Stmt::Require:
    return goesOn(s->body);
  case Stmt::Break:
  case Stmt::Continue:
  case Stmt::Return:
    return false;
  default:
    return true;
  }
}

bool returnsValue(const Stmt* s) {
  bool found = false;
  visitStmt(s, [&](const Stmt* at) {
    found |= at->kind == Stmt::Return && at->expr;
    return !found && at->kind != Stmt::Spawn;
  });
  return found;
}

} // namespace

void checkReturns(Body& body, const ast::Function& node) {
  bool wanted = node.name != "main" && !body.function.result->isVoid() && !body.function.result->isError();
  bool told = std::any_of(body.function.params.begin(), body.function.params.end(),
                          [](const Variable* p) { return p->type->isError(); });
  if (!wanted || told || !goesOn(body.function.body))
    return;
  body.function.may_return_nothing = true;
  SourcePos end = node.body->range.end;
  if (returnsValue(body.function.body))
    body.sema.diag.report(Diag::return_missing_here, {end - 1, end}, node.name);
  else
    body.sema.diag.report(Diag::missing_return, node.range, node.name, typeName(body.function.result));
}

} // namespace bsgp::sema
