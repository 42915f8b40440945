// Collective code may stand in control flow whose conditions the host knows: then the host decides which edge all
// threads take. An if, loop or switch is the host's if it contains collective code, or a jump that leaves one that
// is.

#include "sema/host_flow.h"

#include <algorithm>

#include <fmt/format.h>

#include "sema/body.h"
#include "sema/convert.h"
#include "sema/expr_operators.h"
#include "sema/expressions.h"
#include "sema/host_assign.h"
#include "sema/host_values.h"
#include "sema/instantiate.h"
#include "sema/misplaced.h"
#include "sema/stmt_parallel.h"
#include "sema/visit.h"

namespace bsgp::sema {

namespace {

bool isConstruct(const Stmt& s) {
  return s.kind == Stmt::If || s.kind == Stmt::Loop || s.kind == Stmt::Switch;
}

// Walks the statements with the constructs around each.
class JumpWalk {
public:
  explicit JumpWalk(const std::function<void(const HostJump&)>& claim) : claim_(claim) {}

  void statement(Stmt* s) {
    if (!s)
      return;
    if (s->kind == Stmt::Break || s->kind == Stmt::Continue || s->kind == Stmt::Return)
      return jump(s);
    if (isConstruct(*s))
      around_.push_back(s);
    statement(s->init), statement(s->body), statement(s->otherwise);
    for (Stmt* inner : s->stmts)
      statement(inner);
    if (isConstruct(*s))
      around_.pop_back();
  }

private:
  static bool isTarget(const Stmt& jump, const Stmt& of) {
    if (jump.kind == Stmt::Return)
      return of.host;
    return of.kind == Stmt::Loop || (jump.kind == Stmt::Break && of.kind == Stmt::Switch);
  }

  void jump(Stmt* s) {
    auto target = std::find_if(around_.rbegin(), around_.rend(), [&](const Stmt* of) { return isTarget(*s, *of); });
    if (target == around_.rend() || !(*target)->host)
      return;
    for (auto through = target.base(); through != around_.end(); ++through)
      if (!(*through)->host)
        claim_({s, *target, *through});
  }

  const std::function<void(const HostJump&)>& claim_;
  std::vector<Stmt*> around_;
};

// Visits each return that is outside of the host's constructs, with the constructs around it.
template <class F> void eachReturn(Stmt* s, std::vector<Stmt*>& around, const F& visit) {
  if (!s || s->host)
    return;
  if (s->kind == Stmt::Return)
    return visit(*s, around);
  if (isConstruct(*s))
    around.push_back(s);
  eachReturn(s->init, around, visit), eachReturn(s->body, around, visit), eachReturn(s->otherwise, around, visit);
  for (Stmt* inner : s->stmts)
    eachReturn(inner, around, visit);
  if (isConstruct(*s))
    around.pop_back();
}

Expr* firstAssignment(Sema& sema, Variable* v, Expr* first, SourceRange range) {
  return sema.nodes.assign(sema.nodes.use(v, range), first, range);
}

Stmt* hostDeclaration(Sema& sema, Variable* v, SourceRange range) {
  return sema.nodes.sequence({sema.nodes.declaration(v, nullptr, range)}, range);
}

} // namespace

void eachHostJump(Stmt* body, const std::function<void(const HostJump&)>& claim) {
  JumpWalk(claim).statement(body);
}

std::vector<SourcePos> hostReturnsIn(Stmt* body) {
  std::vector<SourcePos> all;
  visitStmt(body, [&](const Stmt* of_host) {
    if (of_host->host)
      forEachStmt(of_host, [&](const Stmt* s) {
        if (s->kind == Stmt::Return)
          all.push_back(s->range.begin);
      });
    return !of_host->host;
  });
  std::sort(all.begin(), all.end());
  return all;
}

static Expr* plainAssignment(Body& body, Expr* e);
static void claimReturns(Stmt* code, std::span<const Misplaced> collectives, std::span<const SourceRange> returns);

// Decides by its text.
bool isHostFlow(const Body& body, const ast::Stmt* s, Stmt& made) {
  if (!body.flow.host_locals)
    return false;
  auto known = body.flow.host_locals->flow.find(s);
  if (known != body.flow.host_locals->flow.end())
    made.assigns = known->second;
  return known != body.flow.host_locals->flow.end();
}

SourceRange partedBy(const Body& body, const ast::Stmt* s) {
  if (!body.flow.host_locals)
    return {};
  auto known = body.flow.host_locals->parted.find(s);
  return known == body.flow.host_locals->parted.end() ? SourceRange{} : known->second;
}

bool isHosts(const Enclosing& around) {
  return around.made && !around.in_par && isHostValued(around.tested());
}

// Assigns, on the host, to a variable that has become the host's.
static void assignOnHost(Body& body, Stmt* s) {
  if (s->kind == Stmt::Loop) {
    s->step = plainAssignment(body, s->step);
    return;
  }
  if (s->kind == Stmt::Decl && !s->expr) {
    s->kind = Stmt::Require;
    s->body = hostDeclaration(body.sema, s->variable, s->range);
    return;
  }
  s->expr = s->kind == Stmt::Decl ? firstAssignment(body.sema, s->variable, s->expr, s->range)
                                  : plainAssignment(body, s->expr);
  s->kind = Stmt::HostAssign;
}

// Makes a = ... of a op= b and a++.
static Expr* plainAssignment(Body& body, Expr* e) {
  if (e->kind == Expr::Assign)
    return e;
  Expr* by = e->kind == Expr::IncDec ? number(body, 1, body.sema.types.i32, e->range) : e->b;
  Expr* value = binaryOn(body, e->op, body.sema.nodes.copyOf(e->a), by, e->range);
  return body.sema.nodes.assign(e->a, convert(body, value, e->type, "this assignment"), e->range);
}

// Gives locals to the host that it can have, and needs for control flow around collective code or for results of
// collectives.
static void giveToHost(Body& body, const Function* function, Stmt* code) {
  HostQuestion question;
  for (const Misplaced& one : body.flow.misplaced)
    for (const Enclosing& around : one.around) {
      if (!around.made || around.in_par)
        continue;
      question.flow.insert(around.made);
      if (!isHostValued(around.tested()))
        question.needed.push_back(around.tested());
    }
  bool gives = function && function->synchronizes && function->result && !function->result->isVoid();
  question.results = gives && !hostReturns(body, code);
  if (!code || (question.needed.empty() && !question.results))
    return;
  for (const FoundLocal& local : takeHostLocals(code, question)) {
    body.function.locals.push_back(local.variable);
    for (Stmt* s : local.assigned)
      assignOnHost(body, s);
  }
}

// Marks the host's control flow, in a function or (null) in the spawn whose body is `body`; reports collective code
// in control flow that differs between threads.
void decideFlow(Body& body, const Function* function, Stmt* code) {
  giveToHost(body, function, code);
  std::vector<Misplaced> all = std::exchange(body.flow.misplaced, {}), wrong;
  std::vector<SourceRange> returns = std::exchange(body.flow.returns, {});
  if (all.empty() || !code)
    return;
  for (Misplaced& one : all) {
    one.in_flow = !std::all_of(one.around.begin(), one.around.end(), [&](const Enclosing& e) { return isHosts(e); });
    if (one.in_flow)
      wrong.push_back(one);
    else
      for (const Enclosing& around : one.around)
        around.made->host = true;
  }
  claimReturns(code, all, returns);
  bool more = true;
  std::unordered_set<SourcePos> told;
  while (std::exchange(more, false))
    eachHostJump(code, [&](const HostJump& jump) {
      Difference reason;
      if (isHostValued(jump.through->expr, &reason)) {
        jump.through->host = more = true;
      } else if (told.insert(jump.jump->range.begin).second) {
        body.sema.diag.report(
            Diag::barrier_divergent, jump.jump->range,
            fmt::format("a '{}' that leaves a '{}' with a barrier in it", wordOf(constructOf(*jump.jump)),
                        wordOf(constructOf(*jump.left))),
            wordOf(constructOf(*jump.through)),
            jump.jump->kind == Stmt::Return
                ? "let the thread go on to the end, with an 'if' around what it skips, or use thread.kill"
                : "let all threads agree: a reduction gives one value, as in if (reduce(rop_or, found))");
        body.sema.diag.report(Diag::note_why, reason.where, textOf(reason));
      }
    });
  std::unordered_set<SourcePos> blamed;
  for (const Misplaced& one : wrong)
    if (!one.follows)
      blamed.insert(one.around.back().range.begin);
  std::erase_if(wrong,
                [&](const Misplaced& one) { return one.follows && blamed.contains(one.around.back().range.begin); });
  reportMisplaced(body, function, code, wrong);
  std::vector<SourcePos> hosts = hostReturnsIn(code);
  for (const Misplaced& one : all)
    for (size_t i = 0; i < one.returns && !one.in_flow; ++i)
      if (!std::binary_search(hosts.begin(), hosts.end(), returns[i].begin)) {
        body.sema.block_flow.alreadyTold(one.range);
        body.sema.diag.report(Diag::barrier_after_return, one.range, one.what);
        body.sema.diag.report(Diag::note_return, returns[i]);
        break;
      }
}

// A return before collective code is the host's, too, if the host knows whether it is taken.
static void claimReturns(Stmt* code, std::span<const Misplaced> collectives, std::span<const SourceRange> returns) {
  size_t followed = 0;
  for (const Misplaced& one : collectives)
    followed = std::max(followed, one.in_flow ? 0 : one.returns);
  std::unordered_set<SourcePos> asked;
  for (const SourceRange& range : returns.first(followed))
    asked.insert(range.begin);
  std::vector<Stmt*> none;
  eachReturn(code, none, [&](const Stmt& s, std::span<Stmt* const> around) {
    bool known = asked.contains(s.range.begin) &&
                 std::all_of(around.begin(), around.end(), [&](const Stmt* of) { return isHostValued(of->expr); });
    for (Stmt* of : around)
      of->host |= known;
  });
}

// A local of device code that the host needs lives there if its first value is the host's, at a place that all
// threads reach; later values must be the host's, too. `declaration` as in HostLocals.
bool becomesHost(const Body& body, const void* declaration, const Type* type, const Expr* first) {
  bool kind = type->isScalar() || type->isVector() || type->isPointer() || type->isStruct();
  auto is_hosts = [](const Enclosing& around) {
    return around.by_text && (around.loop || isHostValued(around.condition));
  };
  bool all_come =
      !body.flow.returned_alone && std::all_of(body.flow.enclosing.begin(), body.flow.enclosing.end(), is_hosts);
  return onDevice(body) && kind && all_come && body.flow.host_locals &&
         body.flow.host_locals->declarations.count(declaration) && (!first || isHostValued(first));
}

// Makes its declaration: a require's without a value, or an assignment of the first value.
Stmt* declareOnHost(Body& body, Variable* v, Expr* first, SourceRange range) {
  body.flow.moved.insert(v);
  placeCollective(body, "a variable that lives with the host", range);
  if (!first) {
    sawCollective(body);
    Stmt* made = body.sema.nodes.make(Stmt::Require, range);
    made->body = hostDeclaration(body.sema, v, range);
    return made;
  }
  Stmt* made = hostAssign(body, firstAssignment(body.sema, v, first, range));
  made->variable = v;
  return made;
}

} // namespace bsgp::sema
