// Control flow that the host decides: each edge is a barrier, so each arm, each iteration and the code behind begin
// supersteps of their own.
#include <algorithm>

#include <fmt/format.h>

#include "expand/flattener.h"
#include "expand/visit.h"
#include "sema/constant.h"
#include "sema/constructs.h"
#include "sema/host_flow.h"
#include "sema/sema.h"
#include "support/check.h"

namespace bsgp::expand {

// ---- edges
// Ends this superstep with a new edge. Nothing may be added until some edge lands.
Flattener::Way Flattener::leave() {
  FlatSuperstep& step = steps_->back();
  step.next.push_back(0);
  reached_ = false;
  return {steps_->size() - 1, step.next.size() - 1};
}

// Begins a new superstep, to which these edges lead. Without edges it begins none.
void Flattener::land(const Ways& ways, bool reassigned) {
  reached_ = !ways.empty();
  if (!reached_ || too_large_)
    return;
  if (spawn_.supersteps.size() + steps_->size() >= options_.max_supersteps) {
    diag_.report(Diag::too_many_supersteps, chain_.empty() ? spawn_.range : chain_.front()->range,
                 options_.max_supersteps, chainText());
    too_large_ = true;
    return;
  }
  for (const Way& way : ways)
    (*steps_)[way.step].next[way.slot] = static_cast<uint32_t>(steps_->size());
  steps_->emplace_back().reassigned = reassigned;
}

// Lands these edges, and one from here.
void Flattener::landWith(Ways ways) {
  if (reached_)
    ways.push_back(leave());
  land(ways);
}

// Returns the edges by which a superstep is left: one for each value, and one for all others.
Flattener::Ways Flattener::test(Expr* condition, std::vector<int64_t> values) {
  Expr* value = guardDivisions(hoist(condition));
  if (!reached_)
    return {};
  span(condition->range);
  auto* made = program_.arena.make<FlatTest>();
  made->value = value, made->range = condition->range, made->values = std::move(values);
  made->called_at = callOfLibrary();
  steps_->back().test = made;
  Ways ways;
  for (size_t i = 0; i <= made->values.size(); ++i)
    ways.push_back(leave());
  return ways;
}

// ---- host code
namespace {

bool assignsToHost(const Expr* e) {
  const Variable* root = isAssignment(*e) ? sema::rootVariable(e->a) : nullptr;
  return root && root->side == Side::Host && root->kind != Variable::Shared;
}

bool isHostStep(Expr* e) {
  if (e && e->kind == Expr::Comma)
    return isHostStep(e->a) && isHostStep(e->b);
  return !e || (assignsToHost(e) && !hasCollective(e));
}

// Visits each dtempnew whose memory is the variable's initial value or a part of it.
template <class F> void eachTempOf(Expr* initial, const F& visit) {
  visitExpr(initial, [&](Expr* e) {
    if (e->kind == Expr::BuiltinCall && e->builtin == Builtin::DtempNew)
      visit(e);
    return e->kind != Expr::Call && e->kind != Expr::BuiltinCall;
  });
}
template <class F> void eachTempThatInitialises(Stmt* code, const F& visit) {
  visitStmt(code, [&](Stmt* s) {
    if (s->kind == Stmt::Decl)
      eachTempOf(s->expr, visit);
    return true;
  });
}

bool roundsTake(Stmt* loop) {
  bool found = false;
  eachTempThatInitialises(loop->body, [&](Expr*) { found = true; });
  return found;
}

// True for code of requires and assignments to host variables alone. `loops` and `breakable` count the host's
// statements around it.
bool isHostCode(Stmt* s, unsigned loops, unsigned breakable) {
  if (!s)
    return true;
  bool loop = s->kind == Stmt::Loop;
  switch (s->kind) {
  case Stmt::Require:
    return true;
  case Stmt::HostAssign:
    return !hasCollective(s->expr);
  case Stmt::Break:
    return breakable;
  case Stmt::Continue:
    return loops;
  case Stmt::Block:
  case Stmt::Sequence:
    break;
  case Stmt::If:
  case Stmt::Loop:
  case Stmt::Switch:
    if (!s->host || hasCollective(s->expr) || !isHostStep(s->step) || (loop && roundsTake(s)))
      return false;
    loops += loop, breakable += loop || s->kind == Stmt::Switch;
    break;
  default:
    return false;
  }
  return isHostCode(s->init, 0, 0) && isHostCode(s->body, loops, breakable) &&
         isHostCode(s->otherwise, loops, breakable) &&
         std::all_of(s->stmts.begin(), s->stmts.end(), [&](Stmt* each) { return isHostCode(each, loops, breakable); });
}

} // namespace

// Gives the memory that initialises a variable of a loop's body a scope that is freed when the iteration ends: at the
// beginning of the next one, or behind the loop.
void Flattener::takeByRounds(Stmt* code) {
  for (size_t i = targets_.size(); i-- > first_target_;) {
    Target& loop = targets_[i];
    if (!loop.is_loop)
      continue;
    eachTempThatInitialises(code, [&](Expr* temp) {
      loop.scope = loop.scope ? loop.scope : ++scopes_;
      temp->index = loop.scope;
    });
    return;
  }
}

void Flattener::endRounds(std::span<const uint32_t> scopes) {
  if (!reached_ || too_large_)
    return;
  std::vector<uint32_t>& ended = steps_->back().ended_rounds;
  for (uint32_t scope : scopes)
    if (scope && std::find(ended.begin(), ended.end(), scope) == ended.end())
      ended.push_back(scope);
}

// Makes it a statement of a require.
Stmt* Flattener::asHostCode(Stmt* s) {
  if (!s || s->kind == Stmt::Require)
    return s ? s->body : nullptr;
  s->host = false;
  s->expr = guardDivisions(s->expr), s->step = guardDivisions(s->step);
  if (s->kind == Stmt::HostAssign) {
    s->kind = Stmt::Expr, s->variable = nullptr;
    return s;
  }
  s->init = asHostCode(s->init), s->body = asHostCode(s->body), s->otherwise = asHostCode(s->otherwise);
  for (Stmt*& each : s->stmts)
    each = asHostCode(each);
  return s;
}

// Flattens a construct of the host; if it holds host code alone, it becomes a require.
void Flattener::hostFlow(Stmt* s) {
  if (isHostCode(s, 0, 0))
    return addRequire({asHostCode(s)}, s->range, FlatOrigin::Assigned);
  if (!s->assigns.empty() && !diag_.sources().ofLibrary(s->range))
    program_.remarks.push_back(
        {s->range, fmt::format("this '{}' is the host's, and its ways are barriers: it assigns to "
                               "'{}', which the host needs",
                               sema::wordOf(sema::constructOf(*s)), s->assigns)});
  s->kind == Stmt::If ? hostIf(s) : s->kind == Stmt::Loop ? hostLoop(s) : hostSwitch(s);
}

// ---- constructs
void Flattener::hostIf(Stmt* s) {
  Ways ways = test(s->expr, {1});
  if (ways.empty())
    return;
  Ways behind;
  if (!jumpsAtOnce(s->body, ways[0])) {
    land({ways[0]});
    statement(s->body);
    if (reached_)
      behind.push_back(leave());
  }
  if (s->otherwise) {
    land({ways[1]});
    statement(s->otherwise);
    landWith(std::move(behind));
  } else {
    behind.push_back(ways[1]);
    land(behind);
  }
}

// The loop's head is a superstep, to which each iteration comes back. A condition that is no constant is tested in
// it, or behind the iteration.
void Flattener::hostLoop(Stmt* s) {
  statement(s->init);
  if (!reached_)
    return;
  ConstValue known{};
  bool constant = !s->expr || sema::constantValue(s->expr, known);
  if (s->expr && constant && !known.integer && !s->test_last)
    return;
  land({leave()});
  size_t head = steps_->size() - 1;
  targets_.push_back({true, {}, {}});
  if (!s->test_last && !constant) {
    Ways ways = test(s->expr, {1});
    if (!ways.empty())
      targets_.back().breaks.push_back(ways[1]), land({ways[0]});
  }
  statement(s->body);
  if (!targets_.back().continues.empty())
    landWith(std::move(targets_.back().continues));
  endRound(s, head);
  Target left = std::move(targets_.back());
  targets_.pop_back();
  if (left.scope && !too_large_)
    (*steps_)[head].ended_rounds.push_back(left.scope);
  land(left.breaks);
  endRounds({&left.scope, 1});
}

void Flattener::endRound(Stmt* s, size_t head) {
  hostStep(s->step);
  if (!reached_ || too_large_)
    return;
  ConstValue known{1, 0};
  bool tested = s->expr && s->test_last && !sema::constantValue(s->expr, known);
  Ways ways = tested ? test(s->expr, {1}) : Ways{leave()};
  if (tested && !ways.empty())
    targets_.back().breaks.push_back(ways[1]);
  if (ways.empty())
    return;
  if (!s->test_last || known.integer)
    (*steps_)[ways[0].step].next[ways[0].slot] = static_cast<uint32_t>(head);
  else
    targets_.back().breaks.push_back(ways[0]);
}

// Flattens the step of a loop, or an operand of its commas.
void Flattener::hostStep(Expr* e) {
  if (!e || !reached_)
    return;
  if (e->kind == Expr::Comma) {
    hostStep(e->a);
    return hostStep(e->b);
  }
  Stmt* made = nodes_.statement(e, e->range);
  if (!assignsToHost(e))
    return statement(made);
  e->b = guardDivisions(hoist(e->b));
  addRequire({made}, e->range, FlatOrigin::Assigned);
}

// Moves declarations of a case to the front: the cases behind it may use their names, though no path leads through
// the declaration.
void Flattener::declareFirst(std::span<Stmt*> list) {
  for (Stmt*& s : list) {
    if (s->kind == Stmt::Sequence)
      declareFirst(s->stmts);
    if (s->kind != Stmt::Decl || s->variable->type->isArray() || s->variable->side == Side::Host)
      continue;
    Stmt* assigned = nodes_.make(Stmt::Block, s->range);
    if (Expr* first = std::exchange(s->expr, nullptr))
      assigned = nodes_.statement(nodes_.assign(nodes_.use(s->variable, s->range), first, s->range), s->range);
    add(std::exchange(s, assigned));
  }
}

// Flattens the statements in their order; at the beginning of a case, its edges land, and the one that falls through.
void Flattener::hostSwitch(Stmt* s) {
  declareFirst(s->stmts);
  std::vector<int64_t> values;
  for (const SwitchCase& at : s->cases)
    if (!at.is_default)
      values.push_back(at.value);
  Ways ways = test(s->expr, std::move(values));
  if (ways.empty())
    return;
  Way others = ways.back();
  bool has_default = false;
  targets_.push_back({false, {}, {}});
  Ways landing;
  size_t next = 0, way = 0;
  for (size_t i = 0; i <= s->stmts.size(); ++i) {
    for (; next < s->cases.size() && s->cases[next].first == i; ++next) {
      has_default |= s->cases[next].is_default;
      landing.push_back(s->cases[next].is_default ? others : ways[way++]);
    }
    if (i == s->stmts.size())
      break;
    if (!landing.empty())
      landWith(std::exchange(landing, {}));
    statement(s->stmts[i]);
  }
  Ways behind = std::move(targets_.back().breaks);
  targets_.pop_back();
  behind.insert(behind.end(), landing.begin(), landing.end());
  if (!has_default)
    behind.push_back(others);
  landWith(std::move(behind));
}

// ---- jumps
void Flattener::hostJump(Stmt* s) {
  waysOf(s).push_back(leave());
}

// Returns the edges of the statement that a break or continue belongs to.
Flattener::Ways& Flattener::waysOf(const Stmt* jump) {
  auto target = std::find_if(targets_.rbegin(), targets_.rend(),
                             [&](const Target& each) { return jump->kind == Stmt::Break || each.is_loop; });
  BSGP_CHECK(target != targets_.rend(), "a jump that leaves nothing");
  return jump->kind == Stmt::Break ? target->breaks : target->continues;
}

// True if an arm only jumps: it needs no superstep of its own, unless other edges land at its beginning.
bool Flattener::jumpsAtOnce(const Stmt* arm, Way way) {
  while (arm && (arm->kind == Stmt::Block || arm->kind == Stmt::Sequence) && arm->stmts.size() == 1)
    arm = arm->stmts[0];
  const std::vector<FlatItem>& before = (*steps_)[way.step].items;
  bool jumps = arm && (arm->kind == Stmt::Break || arm->kind == Stmt::Continue);
  bool lands = std::any_of(before.begin(), before.end(),
                           [](const FlatItem& item) { return item.stmt && contains(item.stmt, Stmt::Put); });
  if (!jumps || lands)
    return false;
  waysOf(arm).push_back(way);
  return true;
}

// Goes on behind the call, or at the end of the spawn.
void Flattener::hostReturn(Stmt* s) {
  Variable* result = returns_.back().result;
  Expr* value = hoist(s->expr);
  if (value && result) {
    Expr* given = result->side == Side::Host ? guardDivisions(value) : value;
    Stmt* made = nodes_.statement(nodes_.assign(nodes_.use(result, s->range), given, s->range), s->range);
    result->side == Side::Host ? addRequire({made}, s->range, FlatOrigin::Assigned) : add(made);
  }
  if (!reached_)
    return;
  Returns& call = returns_.back();
  for (size_t i = first_target_; i < targets_.size(); ++i)
    call.ended_rounds.push_back(targets_[i].scope);
  call.ways.push_back(leave());
}

// If the host ends the spawn at several places, they join in a superstep of their own: two supersteps share no code.
void Flattener::endSpawn() {
  Ways ends = std::move(returns_.back().ways);
  if (ends.size() == 1 && !reached_)
    (*steps_)[ends[0].step].next.pop_back();
  else if (!ends.empty())
    landWith(std::move(ends));
}

} // namespace bsgp::expand
