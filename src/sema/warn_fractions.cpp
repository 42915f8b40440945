// Warns of variables that became integers by their first value, and are given a fraction: sum = 0; sum += 0.25;
//
// A first assignment without a type gives the variable the type of its value. A program that writes 0 there and adds
// fractions later means another type. A cast says that the fraction is not wanted. Values without one are not
// reported: floor(x), 2.0f * n.
#include <algorithm>
#include <cmath>
#include <unordered_map>

#include <fmt/format.h>

#include "sema/types.h"
#include "sema/warnings.h"

namespace bsgp::sema {

namespace {

bool makesWhole(std::string_view function) {
  constexpr std::string_view kNames[] = {"floor", "ceil", "trunc", "round", "rint", "roundeven", "nearbyint"};
  return std::find(std::begin(kNames), std::end(kNames), function) != std::end(kNames);
}

// A value that has no fraction, whatever its type.
bool isWhole(const Expr& e) {
  switch (e.kind) {
  case Expr::Constant:
    return !e.type->isFloat() || std::trunc(e.value.floating) == e.value.floating;
  case Expr::Cast:
    return laneType(e.a->type)->isInt() || laneType(e.a->type)->isBool() || isWhole(*e.a);
  case Expr::Neg:
    return isWhole(*e.a);
  case Expr::Binary:
    return e.op <= ast::BinaryOp::Sub && e.op != ast::BinaryOp::Div && isWhole(*e.a) && isWhole(*e.b);
  case Expr::Conditional:
    return isWhole(*e.b) && isWhole(*e.c);
  case Expr::BuiltinCall:
    return e.builtin >= Builtin::Floor && e.builtin <= Builtin::RoundEven;
  case Expr::Call:
    return makesWhole(e.function->name);
  default:
    return !laneType(e.type)->isFloat();
  }
}

// x = (int)y, of which y is `from`: between the place and y stands more than a '='. Of x += y nothing stands there.
bool isWrittenCast(const Expr& assignment, const Expr& from, const SourceManager& sources) {
  SourcePos behind = assignment.a->range.end;
  if (from.range.begin <= behind)
    return false;
  std::string_view between = sources.text({behind, from.range.begin});
  return between.find_first_not_of(" \t\r\n=") != std::string_view::npos;
}

// The value with a fraction that an assignment converts to a whole number without a word; null: there is none.
const Expr* lostBy(const Expr& e, const SourceManager& sources) {
  if (e.kind == Expr::CompoundAssign) {
    bool fraction = laneType(e.compute)->isFloat() && (e.op == ast::BinaryOp::Div || !isWhole(*e.b));
    return fraction ? e.b : nullptr;
  }
  if (e.kind != Expr::Assign || e.b->kind != Expr::Cast)
    return nullptr;
  const Expr& from = *e.b->a;
  return isWrittenCast(e, from, sources) || !laneType(from.type)->isFloat() || isWhole(from) ? nullptr : &from;
}

class FractionWalk {
public:
  explicit FractionWalk(Diagnostics& diagnostics) : diagnostics_(diagnostics) {}

  void statement(const Stmt* s) {
    if (!s)
      return;
    if (s->variable && s->expr && s->kind == Stmt::Decl)
      first_[s->variable] = s->expr->range;
    if (s->variable && s->expr && s->kind == Stmt::HostAssign)
      first_[s->variable] = s->expr->b->range;
    for (const Expr* e : {s->expr, s->target, s->value, s->step})
      expression(e);
    for (const Stmt* inner : {s->init, s->body, s->otherwise})
      statement(inner);
    for (const Stmt* inner : s->stmts)
      statement(inner);
  }

private:
  void expression(const Expr* e) {
    if (!e)
      return;
    bool assigns = (e->kind == Expr::Assign || e->kind == Expr::CompoundAssign) && e->a->kind == Expr::Var;
    const Variable* v = assigns ? e->a->variable : nullptr;
    if (v && v->by_assignment && laneType(v->type)->isInt())
      if (const Expr* value = lostBy(*e, diagnostics_.sources()))
        tell(*v, *value, *e);
    for (const Expr* part : {e->a, e->b, e->c})
      expression(part);
    for (const Expr* arg : e->args)
      expression(arg);
  }

  void tell(const Variable& v, const Expr& value, const Expr& assignment) {
    auto first = first_.find(&v);
    if (first == first_.end())
      return;
    std::string type = typeName(laneType(value.type)), begin(diagnostics_.sources().text(first->second));
    first_.erase(first); // once for each variable
    std::string help = fmt::format("write its type, {} {} = {}", typeName(value.type), v.name, begin);
    if (begin == "0" || begin == "1")
      help += fmt::format(", or {} = {}.0{}", v.name, begin, type == "float" ? "f" : "");
    diagnostics_.report(Diag::fraction_lost, assignment.range, v.name, typeWithArticle(v.type), type,
                        help + "; a cast says that it is meant");
    diagnostics_.report(Diag::note_declared, v.range, v.name);
  }

  Diagnostics& diagnostics_;
  std::unordered_map<const Variable*, SourceRange> first_; // where its first value stands
};

} // namespace

void warnOfFractions(const Stmt& body, Diagnostics& diagnostics) {
  FractionWalk(diagnostics).statement(&body);
}

} // namespace bsgp::sema
