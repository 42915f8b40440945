#include "expand/flattener.h"

#include <algorithm>
#include <ranges>

#include <fmt/format.h>

#include "expand/host_uses.h"
#include "expand/visit.h"
#include "expand/ways.h"
#include "sema/sema.h"

namespace bsgp::expand {

Variable* Flattener::variable(std::string_view name, const Type* type, SourceRange range, Side side) {
  auto* v = program_.arena.make<Variable>(name, type, range);
  v->side = side;
  if (side == Side::Host)
    host_.locals.push_back(v);
  return v;
}

bool Flattener::run(Stmt* s) {
  Steps steps(1);
  steps_ = &steps;
  if (s)
    body(s->kind == Stmt::Block || s->kind == Stmt::Sequence ? s->stmts : std::span<Stmt*>(&s, 1), nullptr);
  endSpawn();
  spawn_.supersteps = std::move(steps);
  SourcePos last = spawn_.range.begin;
  for (FlatSuperstep& step : spawn_.supersteps) {
    if (!step.first)
      step.first = step.last = last;
    last = step.last;
  }
  if (!too_large_)
    findMeetings(spawn_);
  return !too_large_;
}

// Extends the superstep's range in the text: code from inlined functions counts as the outermost call.
void Flattener::span(SourceRange range) {
  if (!chain_.empty())
    range = chain_.front()->range;
  FlatSuperstep& step = steps_->back();
  if (!step.first || range.begin < step.first)
    step.first = range.begin;
  step.last = std::max(step.last, range.end ? range.end - 1 : range.begin);
}

// Returns the innermost call around this place that stands in the program, if it calls the library.
SourceRange Flattener::callOfLibrary() const {
  const SourceManager& sources = diag_.sources();
  for (const Expr* call : chain_ | std::views::reverse)
    if (!sources.ofLibrary(call->range))
      return sources.ofLibrary(call->function->range) ? call->range : SourceRange{};
  return {};
}

void Flattener::add(Stmt* s, FlatOrigin origin) {
  if (!reached_)
    return;
  span(s->range);
  FlatItem item;
  item.stmt = s, item.origin = origin, item.called_at = callOfLibrary();
  steps_->back().items.push_back(item);
}

void Flattener::addRequire(std::vector<Stmt*> code, SourceRange range, FlatOrigin origin) {
  if (!reached_)
    return;
  span(range);
  auto* require = program_.arena.make<FlatRequire>();
  require->id = static_cast<uint32_t>(spawn_.requires_.size());
  require->range = range, require->called_at = callOfLibrary();
  require->body = std::move(code);
  require->scope = scope_;
  for (Stmt* s : require->body)
    takeByRounds(s);
  spawn_.requires_.push_back(require);
  FlatItem item;
  item.require = require, item.origin = origin;
  steps_->back().items.push_back(item);
}

namespace {

// True if threads return by themselves: returns in the host's control flow are the host's.
bool threadsReturn(Stmt* s) {
  bool found = false;
  visitStmt(s, [&](Stmt* at) {
    found |= at->kind == Stmt::Return;
    return !found && !at->host;
  });
  return found;
}

} // namespace

// Statements with a return among them become one Inlined statement from there on: no barrier can follow (sema saw to
// that).
void Flattener::body(std::span<Stmt*> list, Variable* result) {
  size_t first = 0;
  while (first < list.size() && !threadsReturn(list[first]))
    ++first;
  for (size_t i = 0; i < first && !too_large_; ++i)
    statement(list[i]);
  if (first == list.size() || too_large_ || !reached_)
    return;
  if (list[first]->kind == Stmt::Return && result && result->side == Side::Host)
    return hostReturn(list[first]);
  Cloner cloner(program_, nullptr);
  if (list[first]->kind == Stmt::Block ||
      list[first]->kind == Stmt::Sequence) { // statements in it may come before its return
    std::vector<Stmt*> opened(list[first]->stmts.begin(), list[first]->stmts.end());
    opened.insert(opened.end(), list.begin() + static_cast<ptrdiff_t>(first) + 1, list.end());
    return body(nodes_.keep(opened), result);
  }
  if (list[first]->kind != Stmt::Loop) // a value or condition may have collectives: all threads are still here
    list[first]->expr = hoist(list[first]->expr);
  std::vector<Stmt*> rest;
  for (size_t i = first; i < list.size(); ++i) {
    if (list[i]->kind == Stmt::Require)
      statement(list[i]);
    else
      rest.push_back(inThread(list[i]));
  }
  Stmt* inlined = nodes_.make(Stmt::Inlined, list[first]->range);
  inlined->stmts = nodes_.keep(rest);
  inlined->variable = result;
  add(inlined);
}

void Flattener::statement(Stmt* s) {
  if (!s || too_large_ || !reached_)
    return;
  switch (s->kind) {
  case Stmt::If:
  case Stmt::Loop:
  case Stmt::Switch:
    if (s->host)
      return hostFlow(s);
    return threadFlow(s);
  case Stmt::Break:
  case Stmt::Continue:
    return hostJump(s);
  case Stmt::Return:
    return hostReturn(s);
  case Stmt::Block:
  case Stmt::Sequence:
    for (Stmt* inner : s->stmts)
      statement(inner);
    return;
  case Stmt::Barrier:
    barrier(s);
    return;
  case Stmt::Require:
    addRequire({s->body->stmts.begin(), s->body->stmts.end()}, s->range);
    return;
  case Stmt::Par:
    par(s);
    return;
  case Stmt::HostAssign: {
    s->expr->b = guardDivisions(hoist(s->expr->b));
    addRequire({nodes_.statement(s->expr, s->range)}, s->range, FlatOrigin::Assigned);
    return;
  }
  default:
    break;
  }
  if (s->kind == Stmt::Expr && s->expr && s->expr->kind == Expr::BuiltinCall && s->expr->builtin == Builtin::Restate) {
    if (landsAtLastBarrier(s->expr->a->a))
      return;
    s->expr = s->expr->a;
  }
  if (s->kind == Stmt::Put) {
    s->expr = hoist(s->expr);
    s->value = hoist(s->value);
  } else {
    s->expr = hoist(s->expr);
  }
  bool nothing = s->kind == Stmt::Expr && (!s->expr || s->expr->kind == Expr::Var || s->expr->kind == Expr::Constant);
  if (!nothing)
    add(s);
}

// True if a thread.put to this variable, or to a part of it, lands at the barrier before this superstep.
bool Flattener::landsAtLastBarrier(const Expr* place) const {
  const Variable* root = sema::rootVariable(place);
  if (!root || steps_->size() < 2)
    return false;
  bool lands = false;
  for (const FlatItem& item : (*steps_)[steps_->size() - 2].items)
    visitStmt(item.stmt, [&](Stmt* at) {
      lands |= at->kind == Stmt::Put && sema::rootVariable(at->target) == root;
      return true;
    });
  return lands;
}

void Flattener::barrier(Stmt* s) {
  span(s->range);
  land({leave()}, s->reassigned);
}

// Each arm is flattened on its own; then the n-th supersteps of all arms become one.
void Flattener::par(Stmt* s) {
  Steps* outer = steps_;
  std::vector<Steps> arms;
  for (Stmt* arm : s->stmts) {
    Steps steps(1);
    steps_ = &steps;
    statement(arm);
    arms.push_back(std::move(steps));
  }
  steps_ = outer;
  checkArms(arms, s);
  size_t longest = 0;
  for (Steps& arm : arms)
    longest = std::max(longest, arm.size());
  for (size_t k = 0; k < longest; ++k) {
    if (k)
      land({leave()});
    if (too_large_)
      return;
    FlatSuperstep& to = steps_->back();
    for (Steps& arm : arms) {
      if (k >= arm.size())
        continue;
      to.items.insert(to.items.end(), arm[k].items.begin(), arm[k].items.end());
      to.freed_scopes.insert(to.freed_scopes.end(), arm[k].freed_scopes.begin(), arm[k].freed_scopes.end());
      if (arm[k].first)
        to.first = to.first ? std::min(to.first, arm[k].first) : arm[k].first;
      to.last = std::max(to.last, arm[k].last);
    }
  }
}

// Arms may not reassign ranks, nor touch a host variable that another arm writes.
void Flattener::checkArms(const std::vector<Steps>& arms, Stmt* s) {
  std::vector<HostUses> uses(arms.size());
  for (size_t i = 0; i < arms.size(); ++i) {
    for (const FlatSuperstep& step : arms[i]) {
      if (step.reassigned)
        diag_.report(Diag::reassign_in_par, s->stmts[i]->range);
      for (const FlatItem& item : step.items) {
        if (item.stmt)
          uses[i].add(item.stmt);
        else
          for (Stmt* inner : item.require->body)
            uses[i].add(inner);
      }
    }
  }
  for (size_t i = 0; i < arms.size(); ++i)
    for (const HostUses::Use& written : uses[i].writes())
      for (size_t k = 0; k < arms.size(); ++k)
        if (const HostUses::Use* other = k != i ? uses[k].meeting(written) : nullptr) {
          diag_.report(Diag::par_host_conflict, written.range, written.variable->name);
          diag_.report(Diag::note_other_arm, other->range);
          return;
        }
}

} // namespace bsgp::expand
