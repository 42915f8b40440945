#include "expand/verify_code.h"

#include <utility>

#include <fmt/format.h>

#include "expand/places.h"
#include "sema/sema.h"

namespace bsgp::expand {

// ---- NodeSet
size_t NodeSet::find(const void* node) const {
  size_t mask = slots_.size() - 1;
  size_t at = (reinterpret_cast<uintptr_t>(node) >> 4) * 0x9e3779b97f4a7c15u >> 32 & mask;
  while (slots_[at] && slots_[at] != node)
    at = (at + 1) & mask;
  return at;
}

bool NodeSet::insert(const void* node) {
  size_t at = find(node);
  if (slots_[at])
    return false;
  slots_[at] = node;
  if (++used_ * 2 > slots_.size())
    grow();
  return true;
}

void NodeSet::grow() {
  std::vector<const void*> old(slots_.size() * 4);
  old.swap(slots_);
  for (const void* node : old)
    if (node)
      slots_[find(node)] = node;
}

// ---- supersteps
void CodeVerifier::beginSuperstep(const std::vector<Expr*>& snapshots) {
  snapshots_ = &snapshots;
  reads_.clear();
  for (const Variable* v : declared_here_)
    declared_before_.insert(v);
  declared_here_.clear();
  for (const Expr* taken : snapshots)
    snapshot(taken);
}

void CodeVerifier::device(const Stmt* s) {
  on_device_ = true;
  statement(s);
}

void CodeVerifier::oldRank(const Stmt* s) {
  on_device_ = true;
  require(nodes_.insert(s), "thread.oldrank is set at two places");
  expression(s->expr);
}

void CodeVerifier::host(const Stmt* s) {
  on_device_ = false;
  statement(s);
}

void CodeVerifier::host(const Expr* e) {
  on_device_ = false;
  expression(e);
}

void CodeVerifier::snapshot(const Expr* place) {
  threadPlace(place, "a snapshot");
  const Variable* root = sema::rootVariable(place);
  if (root && !declared_before_.has(root))
    fail(fmt::format("a snapshot of '{}', which is not declared yet", root->name));
}

// ---- statements
void CodeVerifier::statement(const Stmt* s) {
  if (!s || !violation_.empty())
    return;
  if (!nodes_.insert(s))
    return fail(fmt::format("a statement of kind {} has two places", int(s->kind)));
  switch (s->kind) {
  case Stmt::Loop:
    return loop(s);
  case Stmt::Switch:
    return switchOf(s);
  case Stmt::Break:
    return require(breakable_, "a break with nothing to leave");
  case Stmt::Continue:
    return require(loops_, "a continue outside of loops");
  case Stmt::Inlined:
    return inlined(s);
  case Stmt::Return:
    require(on_device_, "a return in a require");
    return expression(s->expr);
  case Stmt::Decl:
    require(s->variable, "a declaration of nothing");
    expression(s->expr);
    return s->variable ? declare(s->variable) : void();
  case Stmt::If:
    require(s->expr, "an if without a condition");
    return parts(s);
  case Stmt::Expr:
  case Stmt::Block:
  case Stmt::Sequence:
    return parts(s);
  case Stmt::Put:
    require(on_device_ && !function_, "thread.put in host code or a function");
    require(s->expr && s->target && s->value, "a thread.put with a part missing");
    if (s->target)
      threadPlace(s->target, "thread.put");
    return parts(s);
  case Stmt::OldRank:
    require(false, "thread.oldrank is set inside of a statement");
    return;
  case Stmt::Spawn:
  case Stmt::Barrier:
  case Stmt::Require:
  case Stmt::Par:
  case Stmt::HostAssign:
    return fail(fmt::format("a statement of kind {} is left", int(s->kind)));
  }
}

void CodeVerifier::parts(const Stmt* s) {
  expression(s->expr), expression(s->target), expression(s->value);
  statement(s->body), statement(s->otherwise);
  list(s);
}

void CodeVerifier::list(const Stmt* s) {
  for (const Stmt* inner : s->stmts)
    statement(inner);
}

// Collective code that was expanded; only device code has it, and not below a function.
void CodeVerifier::inlined(const Stmt* s) {
  require(on_device_ && !function_, "inlined statements in host code or a function");
  if (s->variable && !declared_.has(s->variable))
    fail(fmt::format("the result '{}' is not declared", s->variable->name));
  list(s);
}

// The condition of a do sees the variables that the body declares.
void CodeVerifier::loop(const Stmt* s) {
  statement(s->init);
  if (!s->test_last)
    expression(s->expr);
  ++loops_, ++breakable_;
  statement(s->body);
  --loops_, --breakable_;
  if (s->test_last)
    expression(s->expr);
  expression(s->step);
}

void CodeVerifier::switchOf(const Stmt* s) {
  require(s->expr, "a switch without a value");
  expression(s->expr);
  for (const SwitchCase& at : s->cases)
    require(at.first <= s->stmts.size(), "a case behind its switch");
  ++breakable_;
  list(s);
  --breakable_;
}

void CodeVerifier::declare(const Variable* v) {
  if (v->side != (on_device_ ? Side::Device : Side::Host))
    return fail(fmt::format("'{}' is declared on the side where it is not", v->name));
  if (!on_device_)
    return;
  declared_.insert(v);
  declared_here_.push_back(v);
}

// ---- expressions
void CodeVerifier::expression(const Expr* e) {
  if (!e || !violation_.empty())
    return;
  if (!nodes_.insert(e))
    return fail(fmt::format("an expression of kind {} has two places", int(e->kind)));
  require(e->type && !e->type->isError(), "an expression without a type");
  switch (e->kind) {
  case Expr::Var:
    return variable(e);
  case Expr::Assign:
  case Expr::CompoundAssign:
  case Expr::IncDec:
    assigned(e->a);
    break;
  case Expr::Call:
    return call(e);
  case Expr::BuiltinCall:
    return builtin(e);
  case Expr::Get:
    get(e);
    break;
  case Expr::ThreadRank:
  case Expr::BlockRank:
  case Expr::BlockSize:
  case Expr::BlockId:
  case Expr::WarpRank:
  case Expr::WarpId:
  case Expr::WarpSize:
    return require(on_device_, "an expression of device code on the host");
  default:
    break;
  }
  operands(e);
}

void CodeVerifier::operands(const Expr* e) {
  expression(e->a), expression(e->b), expression(e->c);
  for (const Expr* arg : e->args)
    if (arg != e->a)
      expression(arg);
}

// Memory behind pointers may be any thread's, so it is not checked.
void CodeVerifier::assigned(const Expr* place) {
  if (!place || !sema::isLvalue(place))
    return fail("an assignment to what is no lvalue");
  const Variable* root = sema::rootVariable(place);
  if (root && on_device_ && root->side == Side::Host)
    fail(fmt::format("device code assigns to the host variable '{}'", root->name));
}

void CodeVerifier::variable(const Expr* e) {
  const Variable* v = e->variable;
  if (!v)
    return fail("a use of no variable");
  if (v->kind == Variable::Constant)
    return;
  if (v->side == Side::Host)
    return hostVariable(e);
  if (!on_device_)
    return fail(fmt::format("host code names '{}', a variable of each thread", v->name));
  if (!declared_.has(v))
    fail(fmt::format("'{}' is used before its declaration", v->name));
}

void CodeVerifier::hostVariable(const Expr* e) {
  const Variable* v = e->variable;
  if (v->kind == Variable::Local && !host_.has(v))
    return fail(fmt::format("'{}' is no variable of the host function", v->name));
  if (!on_device_ && e->index)
    return fail(fmt::format("host code names version {} of '{}'", e->index, v->name));
  if (e->index && !stands_.count(e->index))
    fail(fmt::format("version {} of '{}' is read before its require", e->index, v->name));
}

void CodeVerifier::call(const Expr* e) {
  const Function* f = e->function;
  if (!f)
    return fail("a call of nothing");
  if (f->collective)
    return fail(fmt::format("a call of the collective function '{}' is left", f->name));
  if (on_device_ && !f->body)
    return fail(fmt::format("device code calls '{}', which has no body", f->name));
  if (e->args.size() < f->params.size() || (on_device_ && e->args.size() != f->params.size()))
    return fail(fmt::format("a call of '{}' with {} arguments", f->name, e->args.size()));
  for (size_t i = 0; i < f->params.size(); ++i)
    if (f->params[i]->by_reference && !f->params[i]->is_const && sema::isLvalue(e->args[i]))
      assigned(e->args[i]);
  operands(e);
  if (on_device_)
    function(f);
}

// A body is looked at once: later calls see the same host variables.
void CodeVerifier::function(const Function* f) {
  if (!functions_.insert(f))
    return;
  const Function* caller = std::exchange(function_, f);
  unsigned loops = std::exchange(loops_, 0), breakable = std::exchange(breakable_, 0);
  for (const Variable* v : f->params)
    declared_.insert(v);
  if (f->body && nodes_.insert(f)) // of no earlier spawn
    statement(f->body);
  function_ = caller, loops_ = loops, breakable_ = breakable;
}

void CodeVerifier::builtin(const Expr* e) {
  Builtin b = e->builtin;
  if (b == Builtin::Restate)
    return fail("a restatement is left");
  bool both = b <= Builtin::Uses, of_device = b >= Builtin::BlockSync && b <= Builtin::Asm;
  if (!both && of_device != on_device_)
    return fail(fmt::format("built-in function {} on the side where it is not", int(b)));
  for (size_t i = 0; b == Builtin::Asm && i < e->index && i < e->args.size(); ++i)
    assigned(e->args[i]);
  operands(e);
}

// The place is read by the snapshot.
void CodeVerifier::get(const Expr* e) {
  if (!on_device_ || function_)
    return fail("thread.get in host code or a function");
  if (!e->a || !e->b)
    return fail("a thread.get with a part missing");
  threadPlace(e->b, "thread.get");
  const Variable* root = sema::rootVariable(e->b);
  if (root && !declared_before_.has(root))
    return fail(fmt::format("thread.get of '{}', which was not there before", root->name));
  for (const Expr* taken : *snapshots_)
    if (samePlace(taken, e->b)) {
      reads_.insert(taken);
      return;
    }
  fail("a thread.get without a snapshot");
}

// A variable of each thread or a fixed part of one.
void CodeVerifier::threadPlace(const Expr* place, const char* what) {
  const Variable* root = sema::rootVariable(place);
  bool fixed = root && root->side == Side::Device && root->kind == Variable::Local;
  for (const Expr* at = place; fixed && at->kind != Expr::Var; at = at->a)
    fixed = at->kind == Expr::Field || (at->kind == Expr::Swizzle && at->lane_count == 1) ||
            (at->kind == Expr::Index && at->b->kind == Expr::Constant);
  if (!fixed)
    fail(fmt::format("{} of what is no part of a thread's variable", what));
}

} // namespace bsgp::expand
