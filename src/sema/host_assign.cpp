#include "sema/host_assign.h"

#include <algorithm>

#include <fmt/format.h>

#include "sema/body.h"
#include "sema/convert.h"
#include "sema/expr_assign.h"
#include "sema/expr_operators.h"
#include "sema/expressions.h"
#include "sema/host_flow.h"
#include "sema/lists.h"
#include "sema/misplaced.h"
#include "sema/resolve_type.h"
#include "sema/scopes.h"
#include "sema/stmt_parallel.h"
#include "sema/tree_walk.h"
#include "sema/visit.h"
#include "sema/warn_constants.h"
#include "sema/warnings.h"

namespace bsgp::sema {

constexpr const char* kHostAssignment = "an assignment to a host variable";

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
  write.in_loop = inLoop(body);
  for (const Enclosing& around : body.flow.enclosing)
    if (!isHosts(around)) {
      ++parting;
      write.construct = around.construct;
      bool holds = around.written && !around.negated && parting == 1;
      write.condition = holds ? around.written : nullptr;
    }
  return write;
}

namespace {

// Returns the number that each iteration of `hits += 1`, `hits = hits + 1` or `hits = 1 + hits` would add; null if this
// is no such count.
const ast::Expr* addedNumber(const Body& body, const ast::Expr* e) {
  auto isNumber = [](const ast::Expr* part) {
    return part->kind == ast::Expr::IntLit || part->kind == ast::Expr::FloatLit;
  };
  auto isSum = [](ast::BinaryOp op) { return op == ast::BinaryOp::Add || op == ast::BinaryOp::Sub; };
  if (e->kind != ast::Expr::Assign)
    return nullptr;
  if (e->has_op)
    return isSum(e->binary) && isNumber(e->b) ? e->b : nullptr;
  const ast::Expr* sum = e->b;
  if (sum->kind != ast::Expr::Binary || !isSum(sum->binary))
    return nullptr;
  auto isTarget = [&](const ast::Expr* part) { return sourceText(body, part->range) == sourceText(body, e->a->range); };
  if (isNumber(sum->b) && isTarget(sum->a))
    return sum->b;
  bool number_first = sum->binary == ast::BinaryOp::Add && isNumber(sum->a) && isTarget(sum->b);
  return number_first ? sum->a : nullptr;
}

// Host variables that the spawn declares are meant to be changed once: `spawn` stands between the others and the statement, as no
// spawn stands in another one.
bool isOfProgramAround(const Body& body, const Variable& variable, SourceRange statement) {
  constexpr size_t kFarthest = 1 << 16; // in characters
  std::string_view between = body.sema.diag.sources().text({variable.range.end, statement.begin});
  between.remove_prefix(between.size() - std::min(between.size(), kFarthest));
  return variable.kind == Variable::Global || between.rfind("spawn") != std::string_view::npos;
}

bool takesAway(const ast::Expr* e) {
  return isCount(e) ? e->unary == ast::UnaryOp::PreDec || e->unary == ast::UnaryOp::PostDec
                    : (e->has_op ? e->binary : e->b->binary) == ast::BinaryOp::Sub;
}

void replace(std::string& text, std::string_view what, std::string_view by) {
  for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size()))
    text.replace(at, what.size(), by);
}

// hits++, hits += 1, sum += 0.5f: the help adds what the statement adds.
void warnOfOneCount(Body& body, const ast::Expr* e, const Expr& target, SourceRange range) {
  const ast::Expr* number = addedNumber(body, e);
  Diagnostics& warnings = body.sema.warnings;
  Diagnostics::Mark before = warnings.mark();
  warnings.report(Diag::counted_once, range, rootVariable(&target)->name, sourceText(body, target.range));
  for (Diagnostic& message : warnings.takeSince(before)) {
    std::string step = number ? sourceText(body, number->range) : "1";
    if (step != "1") {
      replace(message.help, "thread.size", step + " * thread.size");
      replace(message.help, "reduce(+, condition)", fmt::format("reduce(+, condition ? {} : 0)", step));
    }
    if (takesAway(e))
      replace(message.help, " += ", " -= ");
    warnings.put(std::move(message));
  }
}

} // namespace

// The type of `place`, where values are added to it (or multiplied) whose own type holds less: the sum must be made in the place's.
static std::string widerThanValues(const Expr& place, const Expr& value) {
  auto isNarrower = [&](const Type* type) {
    const Type* to = place.type;
    return type->isScalar() && to->isScalar() && !to->isBool() &&
           (type->bits < to->bits || (type->isInt() && to->isFloat()));
  };
  bool found = isNarrower(value.type);
  visitExpr(&value, [&](const Expr* part) {
    found |= part->kind == Expr::Cast && part->type == place.type && isNarrower(part->a->type);
    return !found;
  });
  return found ? typeName(place.type) : "";
}

// The help where only some threads would assign; empty: it gives the same however many of them do.
static std::string helpUnderCondition(const Body& body, const ast::Expr* e) {
  bool changes = isCount(e) || e->has_op;
  if (!changes && e->b->kind == ast::Expr::Binary)
    walk(e->b, [&](const ast::Expr* part) {
      changes |= part->kind == e->a->kind && sourceText(body, part->range) == sourceText(body, e->a->range);
    });
  return changes ? reductionFor(hostWrite(body, e), body.sema.diag.sources()) : "";
}

// if (c) m += reduce(+, r): the assignment and the collectives in it move out together, which one message says. Where one of them
// has no form for all threads, the messages are those of the collectives alone.
static void placeWithCollectives(Body& body, SourceRange range) {
  std::vector<Misplaced>& placed = body.flow.misplaced;
  std::string text = sourceText(body, range);
  auto isInside = [&](const Misplaced& one) { return isWithin(one.range, range); };
  SourcePos end = range.end;
  for (auto one = placed.rbegin(); one != placed.rend(); ++one) {
    if (!isInside(*one))
      continue;
    std::string form = formForAll(*one);
    bool fits =
        !form.empty() && text != "..." && one->range.end <= end && one->around.size() == body.flow.enclosing.size();
    if (!fits)
      return;
    text.replace(one->range.begin - range.begin, one->range.end - one->range.begin, form);
    end = one->range.begin;
  }
  std::erase_if(placed, isInside);
  placeCollective(body, kHostAssignment, range, {"all threads do it, outside of the condition: " + text});
}

// every = all(x < 20): of one truth of each thread, all and any of the library mean those of all threads.
static void askAllThreads(HostWrite& write, const Expr& value) {
  const ast::Expr* call = write.write->b;
  bool asks = value.kind == Expr::Call && call && call->kind == ast::Expr::Call && call->args.size() == 1 &&
              (value.function->name == "all" || value.function->name == "any");
  if (!asks)
    return;
  write.reduction = value.function->name == "all" ? "&" : "|";
  if (value.args.size() == 1 && value.args[0]->type->isScalar())
    write.asked = call->args[0];
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
  Difference reason;
  bool one_place = isHostValued(target, &reason);
  if (!one_place || !isHostValued(value, &reason)) {
    const SourceManager& sources = body.sema.diag.sources();
    bool numbers = target->type->isScalar() && value->type->isScalar();
    const char* reduction = !numbers ? nullptr : value->type->isBool() ? "|" : "max";
    HostWrite write = hostWrite(body, e, reduction);
    askAllThreads(write, *value);
    write.wider = counts ? "" : widerThanValues(*target, *value);
    std::string of_collective = one_place && e->b ? wayOutOfExpression(body, e->b->range) : "";
    body.sema.diag.report(Diag::host_variable_written, range, root->name,
                          !of_collective.empty() ? of_collective
                          : one_place            ? reductionFor(write, sources)
                                                 : deviceMemoryFor(hostWrite(body, e), *target, sources));
    body.sema.diag.report(Diag::note_why, reason.where, textOf(reason));
    return nullptr;
  }
  bool collects = isPlacedWithin(body, e->range);
  std::string help = collects ? "" : helpUnderCondition(body, e);
  bool once = body.flow.enclosing.empty() && body.mode.in_spawn && !body.mode.alone && warns(body);
  if (once && (counts || (addedNumber(body, e) && isOfProgramAround(body, *root, range))))
    warnOfOneCount(body, e, *target, range);
  std::vector<std::string> instead;
  if (!collects && help.empty())
    instead = {"ask for all threads: if (reduce(rop_or, {0})) {1} = {2}", sourceText(body, e->a->range),
               sourceText(body, e->b->range)};
  size_t placed = body.flow.misplaced.size();
  collects ? placeWithCollectives(body, range)
           : placeCollective(body, kHostAssignment, range, std::move(instead), std::move(help));
  if (!collects && body.flow.misplaced.size() > placed)
    body.flow.misplaced.back().follows = body.flow.moved.contains(root);
  bool down = counts && (e->unary == ast::UnaryOp::PreDec || e->unary == ast::UnaryOp::PostDec);
  if (e->has_op && warns(body) && !isGeneric(body))
    warnOfDivisionByZero(e->binary, *target, *value, e->range, body.sema.warnings);
  if (counts || e->has_op)
    value = binaryOn(body,
                     !counts ? e->binary
                     : down  ? ast::BinaryOp::Sub
                             : ast::BinaryOp::Add,
                     body.sema.nodes.copyOf(target), value, e->range);
  if (!checkAssignable(body, target->type, e->range))
    return nullptr;
  Expr* given = convert(body, value, target->type, "this assignment");
  return given->type->isError() ? nullptr : hostAssign(body, body.sema.nodes.assign(target, given, e->range));
}

Stmt* hostAssign(Body& body, Expr* assign) {
  sawCollective(body);
  Stmt* made = body.sema.nodes.make(Stmt::HostAssign, assign->range);
  made->expr = assign;
  return made;
}

} // namespace bsgp::sema
