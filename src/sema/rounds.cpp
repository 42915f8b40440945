// `unroll for` around something collective: what would be a loop is written out. Each round is checked on its own, with
// the loop's variable a constant, so it may stand where a loop may not: around barriers, and as arms of a par.
#include "sema/checker.h"
#include "sema/tree_walk.h"

namespace bsgp::sema {

namespace {

constexpr size_t kMostRounds = 10000;

} // namespace

// The variable of such a loop in a round, and its value there.
struct Body::Round {
  std::string_view name;
  const Type* type = nullptr;
  int64_t value = 0;
};

bool Sema::hasCollective(const ast::Stmt* s) {
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
          for (const ast::Function* callee : callees(*e))
            found |= callee->body && traits(*callee).barriers_inside;
      },
      [&](const ast::Expr* e) { return knownCondition(e); });
  return found;
}

bool Sema::isWrittenOut(const ast::Stmt* s) {
  return s->kind == ast::Stmt::For && s->unrolled && !s->count && hasCollective(s->body);
}

bool Body::isWrittenOut(const ast::Stmt* s) {
  return onDevice() && rank_type_ && sema_.isWrittenOut(s);
}

bool Body::notKnown(const char* what, SourceRange range) {
  sema_.diag.report(Diag::rounds_not_known, range, what);
  return false;
}

// for (int i = A; ...), for (i = A; ...)
bool Body::firstRound(const ast::Stmt* s, Round& round) {
  const ast::Stmt* init = s->init;
  const ast::Expr* first = nullptr;
  if (init && init->kind == ast::Stmt::Decl && init->decls.size() == 1) {
    const ast::Declarator& d = init->decls[0];
    round.name = d.name, first = d.init;
    round.type = d.type->kind == ast::TypeExpr::Auto ? nullptr : sema_.resolve(d.type, this);
  } else if (init && init->kind == ast::Stmt::ExprStmt && init->expr->kind == ast::Expr::Assign &&
             !init->expr->has_op && init->expr->a->kind == ast::Expr::Name &&
             find(init->expr->a->name).kind == Symbol::None) {
    round.name = init->expr->a->name, first = init->expr->b;
  }
  if (!first || first->kind == ast::Expr::InitList)
    return notKnown("it begins", init ? init->range : s->range);
  Expr* value = rvalue(first);
  if (value->type->isError() || (round.type && round.type->isError()))
    return false;
  round.type = round.type ? round.type : value->type;
  ConstValue known;
  if (!round.type->isInt() || !value->type->isInt() || !Sema::constantValue(cast(value, round.type), known))
    return notKnown("it begins", first->range);
  round.value = known.integer;
  return true;
}

// i++, i += C, i = f(i)
bool Body::nextRound(const ast::Stmt* s, Round& round) {
  using ast::UnaryOp;
  const ast::Expr* step = s->step;
  const ast::Expr* changed = step ? step->a : nullptr;
  if (!changed || changed->kind != ast::Expr::Name || changed->name != round.name)
    return notKnown("it goes on", step ? step->range : s->range);
  Expr* next = nullptr;
  Expr* now = number(round.value, round.type, step->range);
  if (step->kind == ast::Expr::Assign)
    next = step->has_op ? binaryOn(step->binary, now, rvalue(step->b), step->range) : rvalue(step->b);
  else if (step->kind == ast::Expr::Unary && step->unary >= UnaryOp::PreInc && step->unary <= UnaryOp::PostDec)
    next = binaryOn(step->unary == UnaryOp::PreInc || step->unary == UnaryOp::PostInc ? ast::BinaryOp::Add
                                                                                      : ast::BinaryOp::Sub,
                    now, number(1, round.type, step->range), step->range);
  if (next && next->type->isError())
    return false;
  ConstValue value;
  if (!next || !next->type->isInt() || !Sema::constantValue(cast(next, round.type), value) ||
      value.integer == round.value)
    return notKnown("it goes on", step->range);
  round.value = value.integer;
  return true;
}

// Is there another one? Nothing: that is not known.
std::optional<bool> Body::hasNextRound(const ast::Stmt* s) {
  Expr* test = s->expr ? condition(s->expr) : nullptr;
  if (test && test->type->isError())
    return std::nullopt;
  ConstValue value;
  if (!test || !Sema::constantValue(test, value)) {
    notKnown("it ends", s->expr ? s->expr->range : s->range);
    return std::nullopt;
  }
  return value.integer != 0;
}

Stmt* Body::writtenOut(const ast::Stmt* s) {
  Stmt* made = sema_.make(Stmt::Sequence, s->range);
  made->stmts = sema_.keep(rounds(s));
  return made;
}

std::vector<Stmt*> Body::rounds(const ast::Stmt* s) {
  std::vector<Stmt*> made;
  Round round;
  bool fine = firstRound(s, round);
  unsigned errors = sema_.diag.errors();
  unsigned outer_loops = std::exchange(loops_, 0), outer_switches = std::exchange(switches_, 0);
  bool outer = std::exchange(in_round_, true);
  for (size_t count = 0; fine; ++count) {
    pushScope();
    Symbol constant;
    constant.kind = Symbol::Number, constant.number = round.value, constant.type = round.type;
    bind(round.name, constant);
    std::optional<bool> more = hasNextRound(s);
    if (more.value_or(false) && count == kMostRounds)
      sema_.diag.report(Diag::too_many_rounds, s->range, kMostRounds), more = false;
    if (more.value_or(false))
      if (Stmt* code = stmt(s->body))
        made.push_back(code);
    fine = more.value_or(false) && sema_.diag.errors() == errors && nextRound(s, round);
    popScope("the loop");
  }
  loops_ = outer_loops, switches_ = outer_switches, in_round_ = outer;
  return made;
}

} // namespace bsgp::sema
