#include "sema/stmt_loop.h"

#include <algorithm>

#include "sema/body.h"
#include "sema/constant.h"
#include "sema/convert.h"
#include "sema/expr_operators.h"
#include "sema/expressions.h"
#include "sema/host_assign.h"
#include "sema/host_flow.h"
#include "sema/lists.h"
#include "sema/scopes.h"
#include "sema/statements.h"
#include "sema/warnings.h"

namespace bsgp::sema {

static void loopBody(Body& body, const ast::Stmt* s, Stmt* made);
static Expr* step(Body& body, const ast::Expr* e);

// for (i = 0, j = 5; ...) declares the loop's own variables if no i or j exists.
static Stmt* head(Body& body, const ast::Expr* e, std::vector<std::string_view>& names) {
  if (e->kind == ast::Expr::Binary && e->binary == ast::BinaryOp::Comma) {
    Stmt* both = body.sema.nodes.make(Stmt::Sequence, e->range);
    std::vector<Stmt*> parts;
    for (const ast::Expr* part : {e->a, e->b})
      if (Stmt* made = head(body, part, names))
        parts.push_back(made);
    both->stmts = body.sema.nodes.keep(parts);
    return both;
  }
  bool assigns = e->kind == ast::Expr::Assign && !e->has_op && e->a->kind == ast::Expr::Name;
  if (assigns && find(body, e->a->name).kind == Symbol::None)
    names.push_back(e->a->name);
  ast::Stmt part{};
  part.kind = ast::Stmt::ExprStmt, part.range = e->range, part.expr = const_cast<ast::Expr*>(e);
  return stmt(body, &part);
}

static void endHead(Body& body, std::string_view name) {
  auto& stack = body.names.symbols[name];
  if (stack.empty()) // its first value was wrong
    return;
  const Variable* variable = stack.back().second.variable;
  stack.pop_back();
  body.names.visible.erase(std::find(body.names.visible.rbegin(), body.names.visible.rend(), name).base() - 1);
  body.names.ended[name] = {variable, kLoop};
  if (body.names.ended_heads.try_emplace(name, variable).second)
    body.names.heads.push_back({name, variable, body.names.marks.size()});
}

// Rejects an assignment that declares a variable with the name of an ended loop's variable, if it could not go to that
// one: the value has another type, or is a thread's where the loop's variable was the host's. It may be meant for it.
void checkHeadType(Body& body, std::string_view name, const Expr* value, const Type* type, SourceRange range) {
  auto ended = body.names.ended_heads.find(name);
  if (ended == body.names.ended_heads.end())
    return;
  const Variable* head = ended->second;
  bool was_free = onDevice(body) && head->side == Side::Host && !isHostValued(value);
  if (was_free || type->isError() || head->type->isError() || sameType(type, head->type))
    return;
  body.sema.diag.report(Diag::loop_name_type, range, name, typeName(head->type), typeName(type));
  body.sema.diag.report(Diag::note_declared, head->range, name);
}

static uint32_t unrollCount(Body& body, const ast::Stmt* s) {
  if (!s->count)
    return kUnrollAll;
  ConstValue value;
  Expr* count = rvalue(body, s->count);
  if (count->type->isError())
    return 0;
  bool fine = constantValue(count, value) && count->type->isInt() && value.integer >= 1 && value.integer <= 1024;
  if (!fine)
    body.sema.diag.report(Diag::bad_unroll, s->count->range);
  return fine ? static_cast<uint32_t>(value.integer) : 0;
}

Stmt* loop(Body& body, const ast::Stmt* s) {
  Stmt* made = body.sema.nodes.make(Stmt::Loop, s->range);
  made->test_last = s->kind == ast::Stmt::Do;
  made->unroll = s->unrolled ? unrollCount(body, s) : 0;
  made->is_wavefront = s->is_wavefront;
  bool scoped = s->init && s->init->kind == ast::Stmt::Decl;
  std::vector<std::string_view> heads;
  if (scoped)
    pushScope(body);
  if (s->init && s->init->kind == ast::Stmt::ExprStmt)
    made->init = head(body, s->init->expr, heads);
  else
    made->init = s->init ? stmt(body, s->init) : nullptr;
  Restored wavefront(body.mode.wavefront);
  if (s->is_wavefront && onDevice(body)) {
    body.mode.wavefront = s;
    body.sema.block_flow.sawWavefront();
  }
  bool before = s->expr && !made->test_last;
  // No collective may stand in the condition either: it runs in each iteration.
  body.flow.enclosing.push_back({number(body, 1, body.sema.types.bool_, s->range), s->expr ? s->expr->range : s->range,
                                 s->kind == ast::Stmt::For     ? Construct::For
                                 : s->kind == ast::Stmt::While ? Construct::While
                                                               : Construct::Do,
                                 made, false, made, body.mode.in_par, isHostFlow(body, s, *made), partedBy(body, s)});
  body.flow.enclosing.back().tests = true;
  if (before)
    made->expr = condition(body, s->expr);
  body.flow.enclosing.back().tests = false;
  bool never = before && constantCondition(made->expr) == false; // its body is not looked at
  if (!never)
    loopBody(body, s, made);
  body.flow.enclosing.pop_back();
  if (scoped)
    popScope(body, kLoop);
  for (; !heads.empty(); heads.pop_back())
    endHead(body, heads.back());
  bool broken = (made->expr && made->expr->type->isError()) || (made->step && made->step->type->isError());
  return broken ? nullptr : never ? made->init : made;
}

static void loopBody(Body& body, const ast::Stmt* s, Stmt* made) {
  {
    Restored mode(body.mode);
    ++body.mode.loops, body.mode.switches = 0;
    made->body = stmt(body, s->body);
  }
  body.flow.enclosing.back().tests = true;
  if (s->expr && made->test_last)
    made->expr = condition(body, s->expr);
  if (s->step)
    made->step = step(body, s->step);
}

// Checks the step of a loop: its assignments to host variables are the host's.
static Expr* step(Body& body, const ast::Expr* e) {
  if (e->kind == ast::Expr::Binary && e->binary == ast::BinaryOp::Comma && onDevice(body)) {
    Expr* both = body.sema.nodes.make(Expr::Comma, body.sema.types.void_, e->range);
    both->a = step(body, e->a), both->b = step(body, e->b), both->type = both->b->type;
    return both->a->type->isError() ? both->a : both;
  }
  Expr* target = nullptr;
  if (!onDevice(body) || !assignsToHost(body, e, target)) {
    Expr* value = decay(body, expr(body, e));
    if (warns(body))
      warnOfNoEffect(*value, body.sema);
    return value;
  }
  Stmt* made = assignToHost(body, e, target, e->range);
  return made ? made->expr : error(body, e->range);
}

} // namespace bsgp::sema
