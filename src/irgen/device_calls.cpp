// Calls of device code are expanded in place: the callee's body is emitted again with its parameters bound, `return`
// goes to where the caller goes on. A parameter by reference is the argument's place.
#include <fmt/ranges.h>

#include "diag/diagnostics.h"
#include "irgen/device_emitter.h"
#include "support/check.h"

namespace bsgp::irgen {

namespace {

constexpr size_t kMaxDepth = 250;    // calls inside each other
constexpr size_t kShownCallers = 10; // of a chain in a message

} // namespace

// Past the limit nothing is expanded any more, and it is said once.
bool DeviceEmitter::tooLarge(const Expr* call) {
  if (count_ <= m.options.max_instructions && inlining_.size() < kMaxDepth)
    return false;
  if (!std::exchange(reported_too_large_, true)) {
    std::vector<std::string_view> names;
    for (const Inlining& expansion : inlining_)
      if (expansion.function && !expansion.function->isInternal())
        names.push_back(expansion.function->name);
    if (!call->function->isInternal())
      names.push_back(call->function->name);
    size_t depth = names.size();
    if (depth > kShownCallers) {
      names.erase(names.begin() + kShownCallers / 2, names.end() - kShownCallers / 2);
      names.insert(names.begin() + kShownCallers / 2, "...");
    }
    m.diagnostics.report(Diag::expansion_too_large, programSite(call->range), m.options.max_instructions,
                         fmt::format("{}", fmt::join(names, " -> ")), depth);
  }
  return true;
}

Leaves DeviceEmitter::call(const Expr* e) {
  Inlining done = expanded(e);
  return isLarge(e->type) ? load(done.result) : done.value;
}

Place DeviceEmitter::callInMemory(const Expr* e) {
  return expanded(e).result;
}

void DeviceEmitter::noteGiven(const Variable& parameter, const Expr* argument) {
  given_.erase(&parameter);
  if (!parameter.by_reference || !isLvalue(argument))
    return;
  llvm::DebugLoc passed_on = givenAt(argument);
  PositionScope at(*this, argument->range);
  given_[&parameter] = passed_on ? passed_on : b.getCurrentDebugLocation();
}

llvm::DebugLoc DeviceEmitter::givenAt(const Expr* e) const {
  return e->kind == Expr::Var ? given_.lookup(e->variable) : llvm::DebugLoc();
}

DeviceEmitter::Inlining DeviceEmitter::expanded(const Expr* e) {
  const Function& callee = *e->function;
  BSGP_CHECK(callee.body && !callee.collective, "'%s' is called in device code", std::string(callee.name).c_str());
  if (tooLarge(e))
    return unexpanded(e);
  std::vector<std::pair<const Variable*, Place>> places; // of references, and of large values a copy
  std::vector<std::pair<const Variable*, Leaves>> values;
  for (size_t i = 0; i < e->args.size(); ++i) {
    const Variable* param = callee.params[i];
    noteGiven(*param, e->args[i]);
    if (param->by_reference && isLvalue(e->args[i]))
      places.emplace_back(param, place(e->args[i]));
    else if (isLarge(param->type))
      places.emplace_back(param, copied(e->args[i]));
    else
      values.emplace_back(param, value(e->args[i]));
  }
  openScope();
  for (auto& [param, v] : values)
    begin(param, v);
  for (auto& [param, at] : places)
    bound_[param] = at;
  llvm::FastMathFlags outer = b.getFastMathFlags();
  floatRulesOf(callee);
  ExpandedCallScope called(*this, callee);
  Inlining done = inlined(e);
  b.setFastMathFlags(outer);
  closeScope();
  return done;
}

// Past the limit: any value, since the error is reported.
DeviceEmitter::Inlining DeviceEmitter::unexpanded(const Expr* e) {
  Inlining none{e->function, e->range, true, nullptr, {}, {}, scopes_.size()};
  if (isLarge(e->type))
    none.result = temporary(e->type);
  else
    none.value = undefined(e->type, {});
  return none;
}

DeviceEmitter::Inlining DeviceEmitter::inlined(const Expr* e) {
  const Function& callee = *e->function;
  Inlining expansion{&callee, e->range, m.returnShape(&callee).only_at_end, nullptr, {}, {}, scopes_.size()};
  bool large = isLarge(callee.result), has_result = !callee.result->isVoid() && !large;
  if (large) {
    expansion.result = temporary(callee.result, "result");
    leaveUnset(expansion.result, resultOf(callee));
  }
  if (!expansion.only_at_end) {
    expansion.end = newBlock("returned");
    if (has_result) {
      expansion.result.kind = Place::Scattered, expansion.result.bool_bytes = false;
      expansion.result.type = callee.result;
      for (const Leaf& leaf : m.types.leaves(callee.result))
        expansion.result.leaves.push_back(newAlloca(m.types.value(leaf.type), alignmentOf(leaf.type), "result"));
      leaveUnset(expansion.result, resultOf(callee));
    }
  }
  inlining_.push_back(std::move(expansion));
  stmt(callee.body);
  expansion = std::move(inlining_.back());
  inlining_.pop_back();
  if (expansion.only_at_end) {
    ensureLive();
    if (has_result && expansion.value.empty())
      expansion.value = undefined(callee.result, resultOf(callee));
    return expansion;
  }
  jump(expansion.end);
  enter(expansion.end);
  ensureLive();
  if (has_result)
    expansion.value = load(expansion.result);
  return expansion;
}

// Code of a collective that was expanded before: a return among it leaves it.
void DeviceEmitter::inlined(const Stmt* s) {
  Inlining expansion{nullptr, {}, false, newBlock("returned"), {}, {}, scopes_.size()};
  if (s->variable)
    expansion.result = storage(s->variable);
  inlining_.push_back(std::move(expansion));
  openScope();
  stmts(s->stmts);
  closeScope();
  llvm::BasicBlock* end = inlining_.back().end;
  inlining_.pop_back();
  jump(end);
  enter(end);
}

void DeviceEmitter::returnFrom(const Stmt* s) {
  if (s->expr && isLarge(s->expr->type))
    return returnLarge(s->expr);
  Leaves v = s->expr ? value(s->expr) : Leaves();
  if (inlining_.empty()) { // the thread is done
    endLifetimes(0);
    return jump(exit_);
  }
  Inlining& expansion = inlining_.back();
  if (expansion.only_at_end) {
    expansion.value = v;
    return;
  }
  if (!v.empty() && expansion.result.type)
    store(expansion.result, v);
  endLifetimes(expansion.scopes);
  jump(expansion.end);
}

void DeviceEmitter::returnLarge(const Expr* e) {
  Place from = inMemory(e);
  const Inlining& expansion = inlining_.back();
  if (expansion.result.type)
    copy(expansion.result, from);
  if (expansion.only_at_end)
    return;
  endLifetimes(expansion.scopes);
  jump(expansion.end);
}

} // namespace bsgp::irgen
