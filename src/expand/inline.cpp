// Collectives in expressions: hoisted out left to right, each call replaced by its body in the caller's
// supersteps.
#include <fmt/format.h>

#include "expand/flattener.h"
#include "expand/visit.h"
#include "sema/sema.h"

namespace bsgp::expand {

Expr* Flattener::hoist(Expr* e) {
  if (!e || too_large_ || !hasCollective(e))
    return e;
  if (e->kind == Expr::Assign || e->kind == Expr::CompoundAssign)
    keepAssigned(e);
  e = hoistParts(e);
  return e->kind == Expr::Call && e->function->collective ? inlineCall(e) : e;
}

// The parts of e in order; those before the last one with a collective keep the value they have now.
Expr* Flattener::hoistParts(Expr* e) {
  std::vector<Expr**> parts;
  bool assigns = e->kind == Expr::Assign || e->kind == Expr::CompoundAssign;
  for (Expr** part : {&e->a, &e->b, &e->c})
    if (*part && !(assigns && part == &e->a))
      parts.push_back(part);
  if (e->args.empty() || e->args[0] != e->a)
    for (Expr*& arg : e->args)
      parts.push_back(&arg);
  if (assigns)
    parts.push_back(&e->a);
  size_t last = 0;
  for (size_t i = 0; i < parts.size(); ++i)
    if (hasCollective(*parts[i]))
      last = i;
  for (size_t i = 0; i <= last && i < parts.size(); ++i) {
    *parts[i] = hoist(*parts[i]);
    bool place = e->kind == Expr::Call && i < e->function->params.size() && e->function->params[i]->by_reference;
    bool base = e->kind == Expr::AddrOf || e->kind == Expr::Decay || e->kind == Expr::Field ||
                e->kind == Expr::Swizzle || (e->kind == Expr::Get && parts[i] == &e->b);
    if (i < last && !place && !base && !(assigns && parts[i] == &e->a))
      *parts[i] = keepValue(*parts[i]);
  }
  if (!e->args.empty() && e->kind == Expr::BuiltinCall && e->a && e->args.size() == 1)
    e->args[0] = e->a;
  return e;
}

// A temporary for a value that a later collective must not see change.
Expr* Flattener::keepValue(Expr* e) {
  if (e->kind == Expr::Constant || e->kind == Expr::String || e->kind == Expr::Null || e->type->isVoid() ||
      e->type->isArray() || e->type->holds_lists)
    return e;
  if (sema::isHostValued(e))
    return hostTemporary(e, "");
  Variable* t = variable("", e->type, e->range, Side::Device);
  add(nodes_.declaration(t, e, e->range), FlatOrigin::Kept);
  return nodes_.use(t, e->range);
}

// Device code that the host computes keeps the meaning it has on the device: an integer divided by zero gives 0.
Expr* Flattener::guardDivisions(Expr* e) {
  if (!e)
    return e;
  e->a = guardDivisions(e->a), e->b = guardDivisions(e->b), e->c = guardDivisions(e->c);
  for (Expr*& arg : e->args)
    arg = guardDivisions(arg);
  bool divides =
      e->kind == Expr::Binary && (e->op == ast::BinaryOp::Div || e->op == ast::BinaryOp::Rem) && e->type->isInt();
  if (!divides || (e->b->kind == Expr::Constant && e->b->value.integer != 0))
    return e;
  Cloner cloner(program_, nullptr);
  Expr* zero = nodes_.constant({}, e->type, e->range);
  Expr* is_zero = nodes_.binary(ast::BinaryOp::Eq, cloner.clone(e->b), zero, program_.types.bool_, e->range);
  return nodes_.choice(is_zero, nodes_.like(zero), e, e->range);
}

// A host value under a name of its own, made before the superstep.
Expr* Flattener::hostTemporary(Expr* value, std::string_view name) {
  value = guardDivisions(value);
  Variable* v = variable(name, value->type, value->range, Side::Host);
  Expr* assign = nodes_.assign(nodes_.use(v, value->range), value, value->range);
  addRequire({nodes_.statement(assign, value->range)}, value->range, FlatOrigin::HostPart);
  return nodes_.use(v, value->range);
}

void Flattener::bindParameter(Cloner& cloner, Variable* param, Expr* argument, bool aliases) {
  if (param->by_reference) {
    cloner.substitute(param, stabilize(argument, [](Expr*) { return true; }));
    return;
  }
  if (param->side == Side::Host) {
    bool direct =
        !param->is_assigned && (argument->kind == Expr::Constant ||
                                (argument->kind == Expr::Var && !aliases &&
                                 argument->variable->kind == Variable::Local && !argument->variable->address_taken));
    cloner.substitute(param, direct ? argument : hostTemporary(argument, param->name));
    return;
  }
  Stmt* decl = nodes_.declaration(cloner.renew(param), argument, argument->range);
  decl->variable->by_reference = false;
  add(decl, FlatOrigin::Argument);
}

// The calls around this place as the end of a help: "; the chain of calls, 3 deep: f -> g -> h".
std::string Flattener::chainText() const {
  constexpr size_t kShown = 6; // at either end
  if (chain_.empty())
    return "";
  std::vector<std::string_view> names;
  for (const Expr* call : chain_)
    if (!call->function->isInternal())
      names.push_back(call->function->name);
  std::string text;
  for (size_t i = 0; i < names.size(); ++i) {
    bool left_out = i >= kShown && i + kShown < names.size();
    if (!left_out)
      text += (i ? " -> " : "") + std::string(names[i]);
    else if (i == kShown)
      text += " -> ...";
  }
  return fmt::format("; the chain of calls, {} deep: {}", names.size(), text);
}

bool Flattener::withinLimits(Expr* call) {
  if (made_ <= options_.max_nodes && chain_.size() < 200)
    return true;
  if (!too_large_)
    diag_.report(Diag::expansion_limit, chain_.empty() ? call->range : chain_.front()->range, chainText());
  too_large_ = true;
  return false;
}

Expr* Flattener::inlineCall(Expr* call) {
  Function& callee = *call->function;
  if (!withinLimits(call))
    return call;
  Cloner cloner(program_, &host_);
  bool aliases = false;
  for (Variable* param : callee.params)
    aliases |= param->by_reference && param->side == Side::Host;
  for (size_t i = 0; i < callee.params.size(); ++i)
    bindParameter(cloner, callee.params[i], call->args[i], aliases);
  if (diag_.sources().ofLibrary(callee.range))
    cloner.standAt(call->range);
  chain_.push_back(call);
  size_t requires_before = spawn_.requires_.size();
  uint32_t outer_scope = scope_;
  size_t outer_targets = std::exchange(first_target_, targets_.size());
  scope_ = ++scopes_;
  std::vector<Stmt*> list;
  for (Stmt* s : callee.body->stmts)
    list.push_back(cloner.clone(s));
  made_ += cloner.made();
  Expr* result = finish(callee, cloner, list, call->range);
  bool temps = false;
  for (size_t i = requires_before; i < spawn_.requires_.size(); ++i) {
    uint32_t& scope = spawn_.requires_[i]->scope;
    temps |= scope == scope_;
    if (scope == scope_ && !reached_) // the call never ends
      scope = 0;
  }
  if (temps && reached_)
    steps_->back().freed_scopes.push_back(scope_);
  scope_ = outer_scope, first_target_ = outer_targets;
  chain_.pop_back();
  return result;
}

// The copied body, and the call's value. A return at the very end needs no jump.
Expr* Flattener::finish(Function& callee, Cloner& cloner, std::vector<Stmt*>& list, SourceRange range) {
  Stmt* last = list.empty() ? nullptr : list.back();
  bool plain = last && last->kind == Stmt::Return;
  for (size_t i = 0; i + 1 < list.size(); ++i)
    plain &= !contains(list[i], Stmt::Return);
  Expr* nothing = nodes_.constant({}, program_.types.i32, range);
  if (callee.result->isVoid() || !plain) {
    Side side = callee.host_result ? Side::Host : Side::Device;
    Variable* result = callee.result->isVoid() ? nullptr : variable(callee.name, callee.result, range, side);
    if (result && side == Side::Device)
      add(nodes_.declaration(result, nullptr, range), FlatOrigin::Result);
    returns_.push_back({result, {}, {}});
    body(nodes_.keep(list), result);
    Returns left = std::move(returns_.back());
    returns_.pop_back();
    if (!left.ways.empty()) {
      landWith(std::move(left.ways));
      endRounds(left.ended_rounds);
    }
    return result ? nodes_.use(result, range) : nothing;
  }
  list.pop_back();
  body(nodes_.keep(list), nullptr);
  Expr* value = hoist(last->expr);
  if (diag_.sources().ofLibrary(value->range)) // from here on it stands in the program
    value->range = range;
  if (value->kind == Expr::Constant)
    return value;
  if (callee.host_result)
    return value->kind == Expr::Var && value->variable->kind == Variable::Local ? value
                                                                                : hostTemporary(value, callee.name);
  if (value->kind == Expr::Var && value->variable->name.empty())
    return value;
  Variable* result = variable(callee.name, value->type, range, Side::Device);
  add(nodes_.declaration(result, value, range), FlatOrigin::Result);
  return nodes_.use(result, range);
}

} // namespace bsgp::expand
