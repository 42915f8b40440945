#include "sema/host_assign.h"

#include "sema/body.h"
#include "sema/convert.h"
#include "sema/expr_assign.h"
#include "sema/expr_operators.h"
#include "sema/expressions.h"
#include "sema/host_flow.h"
#include "sema/misplaced.h"
#include "sema/resolve_type.h"
#include "sema/scopes.h"
#include "sema/stmt_parallel.h"
#include "sema/tree_walk.h"

namespace bsgp::sema {

// i = 1, i += 2, i++ of a host variable, which becomes `target`.
bool assignsToHost(Body& body, const ast::Expr* e, Expr*& target) {
  if (e->kind != ast::Expr::Assign && !isCount(e))
    return false;
  const ast::Expr* place = e->a;
  while (place->kind == ast::Expr::Member || place->kind == ast::Expr::Index)
    place = place->a;
  Symbol named = place->kind == ast::Expr::Name ? find(body, place->name) : Symbol();
  bool may_be = named.kind != Symbol::None && !(named.kind == Symbol::Variable && named.variable &&
                                                named.variable->side == Side::Device && !named.variable->by_reference);
  if (!may_be)
    return false;
  target = assignedPlace(body, e->a);
  const Variable* root = target->type->isError() ? nullptr : rootVariable(target);
  return root && root->side == Side::Host && root->kind != Variable::Shared && !isConst(target);
}

static HostWrite hostWrite(const Body& body, const ast::Expr* e, const char* reduction = nullptr) {
  HostWrite write{e};
  write.reduction = reduction;
  size_t parting = 0;
  for (const Enclosing& around : body.flow.enclosing)
    if (!isHosts(around)) {
      ++parting;
      write.construct = around.construct;
      bool holds = around.written && !around.negated && parting == 1;
      write.condition = holds ? around.written : nullptr;
    }
  return write;
}

// Device code assigns to a host variable, by =, op= or ++: the host does it.
Stmt* assignToHost(Body& body, const ast::Expr* e, Expr* target, SourceRange range) {
  const Variable* root = rootVariable(target);
  bool counts = isCount(e);
  Expr* value = counts      ? number(body, 1, body.sema.types.i32, e->range)
                : e->has_op ? decay(body, expr(body, e->b))
                            : assigned(body, e->b, target->type);
  if (value->type->isError())
    return nullptr;
  NotOfHost reason;
  bool one_place = isHostValued(target, &reason);
  if (!one_place || !isHostValued(value, &reason)) {
    const SourceManager& sources = body.sema.diag.sources();
    bool numbers = target->type->isScalar() && value->type->isScalar();
    const char* reduction = !numbers ? nullptr : value->type->isBool() ? "|" : "max";
    body.sema.diag.report(Diag::host_variable_written, range, root->name,
                          one_place ? reductionFor(hostWrite(body, e, reduction), sources)
                                    : deviceMemoryFor(hostWrite(body, e), *target, sources));
    body.sema.diag.report(Diag::note_why, reason.where, reason.why);
    return nullptr;
  }
  std::string help = counts || e->has_op ? reductionFor(hostWrite(body, e), body.sema.diag.sources()) : "";
  if (counts && body.flow.enclosing.empty() && body.mode.in_spawn && !body.mode.alone && warns(body))
    body.sema.warnings.report(Diag::counted_once, range, root->name, sourceText(body, target->range));
  std::vector<std::string> instead;
  if (!counts && !e->has_op)
    instead = {"ask for all threads: if (reduce(rop_or, {0})) {1} = {2}", sourceText(body, e->a->range),
               sourceText(body, e->b->range)};
  placeCollective(body, "an assignment to a host variable", range, std::move(instead), std::move(help));
  bool down = counts && (e->unary == ast::UnaryOp::PreDec || e->unary == ast::UnaryOp::PostDec);
  if (counts || e->has_op)
    value = binaryOn(body,
                     !counts ? e->binary
                     : down  ? ast::BinaryOp::Sub
                             : ast::BinaryOp::Add,
                     body.sema.nodes.copyOf(target), value, e->range);
  if (!checkAssignable(body, target->type, e->range))
    return nullptr;
  Expr* made = body.sema.nodes.make(Expr::Assign, target->type, e->range);
  made->a = target, made->b = convert(body, value, target->type, "this assignment");
  return made->b->type->isError() ? nullptr : hostAssign(body, made);
}

Stmt* hostAssign(Body& body, Expr* assign) {
  sawCollective(body);
  Stmt* made = body.sema.nodes.make(Stmt::HostAssign, assign->range);
  made->expr = assign;
  return made;
}

} // namespace bsgp::sema
