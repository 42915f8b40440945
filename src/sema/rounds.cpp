#include "sema/rounds.h"

#include "sema/body.h"
#include "sema/constant.h"
#include "sema/convert.h"
#include "sema/expr_operators.h"
#include "sema/expressions.h"
#include "sema/resolve_type.h"
#include "sema/scopes.h"
#include "sema/statements.h"
#include "sema/traits.h"
#include "sema/tree_walk.h"

namespace bsgp::sema {

namespace {

constexpr size_t kMostRounds = 10000;        // of one loop
constexpr size_t kMostRoundsOfAll = 100'000; // of loops in one another, which multiply

} // namespace

// The variable of such a loop in an iteration, and its value there.
struct Round {
  std::string_view name;
  const Type* type = nullptr;
  int64_t value = 0;
};

static bool hasCollective(Sema& sema, const ast::Stmt* s) {
  bool found = false;
  walk(
      s,
      [&](const ast::Stmt* at) {
        found |= isCollective(*at);
        return !found;
      },
      [&](const ast::Expr* e) {
        found |= isCollective(*e);
        if (e->kind == ast::Expr::Call)
          for (const ast::Function* callee : callees(sema, *e))
            found |= callee->body && traits(sema, *callee).barriers_inside;
      },
      [&](const ast::Expr* e) { return knownCondition(sema, e); });
  return found;
}

bool isWrittenOut(Sema& sema, const ast::Stmt* s) {
  return s->kind == ast::Stmt::For && s->unrolled && !s->count && hasCollective(sema, s->body);
}

bool isWrittenOut(Body& body, const ast::Stmt* s) {
  return onDevice(body) && body.mode.rank_type && isWrittenOut(body.sema, s);
}

static bool notKnown(Body& body, const char* what, SourceRange range) {
  body.sema.diag.report(Diag::rounds_not_known, range, what);
  return false;
}

// for (int i = A; ...), for (i = A; ...)
static bool firstRound(Body& body, const ast::Stmt* s, Round& round) {
  const ast::Stmt* init = s->init;
  const ast::Expr* first = nullptr;
  if (init && init->kind == ast::Stmt::Decl && init->decls.size() == 1) {
    const ast::Declarator& d = init->decls[0];
    round.name = d.name, first = d.init;
    round.type = d.type->kind == ast::TypeExpr::Auto ? nullptr : resolve(body.sema, d.type, &body);
  } else if (init && init->kind == ast::Stmt::ExprStmt && init->expr->kind == ast::Expr::Assign &&
             !init->expr->has_op && init->expr->a->kind == ast::Expr::Name &&
             find(body, init->expr->a->name).kind == Symbol::None) {
    round.name = init->expr->a->name, first = init->expr->b;
  }
  if (!first || first->kind == ast::Expr::InitList)
    return notKnown(body, "it begins", init ? init->range : s->range);
  Expr* value = rvalue(body, first);
  if (value->type->isError() || (round.type && round.type->isError()))
    return false;
  round.type = round.type ? round.type : value->type;
  ConstValue known;
  if (!round.type->isInt() || !value->type->isInt() || !constantValue(cast(body, value, round.type), known))
    return notKnown(body, "it begins", first->range);
  round.value = known.integer;
  return true;
}

// i++, i += C, i = f(i)
static bool nextRound(Body& body, const ast::Stmt* s, Round& round) {
  using ast::UnaryOp;
  const ast::Expr* step = s->step;
  const ast::Expr* changed = step ? step->a : nullptr;
  if (!changed || changed->kind != ast::Expr::Name || changed->name != round.name)
    return notKnown(body, "it goes on", step ? step->range : s->range);
  Expr* next = nullptr;
  Expr* now = number(body, round.value, round.type, step->range);
  if (step->kind == ast::Expr::Assign)
    next = step->has_op ? binaryOn(body, step->binary, now, rvalue(body, step->b), step->range) : rvalue(body, step->b);
  else if (step->kind == ast::Expr::Unary && step->unary >= UnaryOp::PreInc && step->unary <= UnaryOp::PostDec)
    next = binaryOn(body,
                    step->unary == UnaryOp::PreInc || step->unary == UnaryOp::PostInc ? ast::BinaryOp::Add
                                                                                      : ast::BinaryOp::Sub,
                    now, number(body, 1, round.type, step->range), step->range);
  if (next && next->type->isError())
    return false;
  ConstValue value;
  if (!next || !next->type->isInt() || !constantValue(cast(body, next, round.type), value) ||
      value.integer == round.value)
    return notKnown(body, "it goes on", step->range);
  round.value = value.integer;
  return true;
}

// Is there another one? Nothing: that is not known.
static std::optional<bool> hasNextRound(Body& body, const ast::Stmt* s) {
  Expr* test = s->expr ? condition(body, s->expr) : nullptr;
  if (test && test->type->isError())
    return std::nullopt;
  ConstValue value;
  if (!test || !constantValue(test, value)) {
    notKnown(body, "it ends", s->expr ? s->expr->range : s->range);
    return std::nullopt;
  }
  return value.integer != 0;
}

Stmt* writtenOut(Body& body, const ast::Stmt* s) {
  return body.sema.nodes.sequence(rounds(body, s), s->range);
}

std::vector<Stmt*> rounds(Body& body, const ast::Stmt* s) {
  std::vector<Stmt*> made;
  Round round;
  bool fine = firstRound(body, s, round);
  unsigned errors = body.sema.diag.errors();
  bool outermost = body.rounds == 0;
  Restored mode(body.mode);
  body.mode.in_round = true, body.mode.loops = body.mode.switches = 0;
  for (size_t count = 0; fine; ++count) {
    pushScope(body);
    Symbol constant;
    constant.kind = Symbol::Number, constant.number = round.value, constant.type = round.type;
    bind(body, round.name, constant);
    std::optional<bool> more = hasNextRound(body, s);
    if (more.value_or(false) && (count == kMostRounds || ++body.rounds > kMostRoundsOfAll)) {
      body.sema.diag.report(Diag::too_many_rounds, s->range, count == kMostRounds ? kMostRounds : kMostRoundsOfAll);
      more = false;
    }
    if (more.value_or(false))
      if (Stmt* code = stmt(body, s->body))
        made.push_back(code);
    fine = more.value_or(false) && body.sema.diag.errors() == errors && nextRound(body, s, round);
    popScope(body, "the loop");
  }
  if (outermost)
    body.rounds = 0;
  return made;
}

} // namespace bsgp::sema
