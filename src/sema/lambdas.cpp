#include "sema/lambdas.h"

#include <algorithm>
#include <bit>

#include <fmt/format.h>

#include "sema/arguments.h"
#include "sema/body.h"
#include "sema/constant.h"
#include "sema/convert.h"
#include "sema/expr_calls.h"
#include "sema/expr_names.h"
#include "sema/instantiate.h"
#include "sema/name_scopes.h"
#include "sema/scopes.h"
#include "sema/traits.h"

namespace bsgp::sema {

namespace {

// Returns the value of a scalar that is known at compile time.
std::optional<ConstValue> known(const Argument& captured, const ast::Function& node) {
  ConstValue value;
  bool is_constant = node.is_inline && captured.value->type->isScalar() && constantValue(captured.value, value);
  return is_constant ? std::optional(value) : std::nullopt;
}

bool byReference(const Argument& captured) {
  return captured.value && (captured.value->type->holds_lists || captured.value->type->isArray());
}

} // namespace

// ---- at the lambda

static std::string_view closure(Sema& sema, std::string_view lambda, std::span<const ast::Param> captured);
static void addClosure(Sema& sema, std::string_view name, const ast::Function& lambda,
                       std::span<const ast::Param> captured);
static bool runsCollective(Sema& sema, const Callable& callable);

Callable lambda(Body& body, const ast::Expr* e) {
  std::vector<ast::Param> parameters;
  std::vector<Argument> captured;
  for (const ast::Expr* place : e->args) {
    const ast::Expr* name = place->kind == ast::Expr::Member ? place->a : place; // a field is one of `this`
    auto same = [&](const ast::Param& other) { return other.name == name->name; };
    if (findLocal(body, name->name).kind == Symbol::None || std::any_of(parameters.begin(), parameters.end(), same))
      continue;
    captured.push_back(argument(body, name));
    if (Expr*& value = captured.back().value; !e->has_op)
      value = fail(body, Diag::lambda_takes_none, place->range, name->name);
    else if (value && !byReference(captured.back()))
      value = decay(body, value);
    captured.back().is_callable &= e->has_op;
    auto* type = body.sema.arena.make<ast::TypeExpr>();
    type->kind = ast::TypeExpr::Open, type->range = name->range, type->is_const = true;
    parameters.push_back({name->name, name->range, type, byReference(captured.back())});
  }
  return {closure(body.sema, e->name, parameters), false, {}, body.sema.nodes.keep(captured), body.scope, true};
}

// Makes the lambda with further parameters a function of its own, one for each choice of them.
static std::string_view closure(Sema& sema, std::string_view lambda, std::span<const ast::Param> captured) {
  if (captured.empty())
    return lambda;
  std::string name(lambda);
  for (const ast::Param& param : captured)
    name += fmt::format(" {}{}", param.by_reference ? "&" : "", param.name);
  for (std::string_view clause : {"", ".identity", ".commutative"}) {
    std::string made = fmt::format("{}{}", name, clause);
    auto set = sema.functions.all.find(fmt::format("{}{}", lambda, clause));
    if (set != sema.functions.all.end() && !sema.functions.all.count(made))
      addClosure(sema, sema.arena.copy(made), *set->second[0], captured);
  }
  return sema.arena.copy(name);
}

static void addClosure(Sema& sema, std::string_view name, const ast::Function& lambda,
                       std::span<const ast::Param> captured) {
  auto* made = sema.arena.make<ast::Function>(lambda);
  std::vector<ast::Param> parameters(lambda.params.begin(), lambda.params.end());
  parameters.insert(parameters.end(), captured.begin(), captured.end());
  made->params = sema.nodes.keep(parameters);
  made->captured = uint32_t(captured.size());
  sema.functions.all[name].push_back(made);
}

// True for a parameter that a lambda has for a variable around it: it stands behind the written parameters.
bool isCopy(const Body& body, const Variable& variable) {
  bool of_lambda = body.function.family == ast::Family::Lambda &&
                   std::count(body.function.params.begin(), body.function.params.end(), &variable);
  return of_lambda && variable.range.begin > body.begin;
}

// ---- in a function that it is given to

// True if the function is collective, by itself or by a function that it is given to call.
bool runsCollective(Sema& sema, const ast::Function& node, const std::vector<Argument>& arguments) {
  auto given = [&](const Argument& argument) {
    return argument.is_callable && runsCollective(sema, argument.callable);
  };
  return traits(sema, node).barriers_inside || std::any_of(arguments.begin(), arguments.end(), given);
}

static bool runsCollective(Sema& sema, const Callable& callable) {
  Overloads set = overloads(sema, callable.name, callable.scope);
  auto inside = [&](const ast::Function* node) { return node->body && traits(sema, *node).barriers_inside; };
  auto given = [&](const Argument& captured) {
    return captured.is_callable && runsCollective(sema, captured.callable);
  };
  return (!callable.is_operator && std::any_of(set.begin(), set.end(), inside)) ||
         std::any_of(callable.captured.begin(), callable.captured.end(), given);
}

static bool hostCapture(const Argument& captured, bool collective, Side side) {
  bool by_reference = byReference(captured);
  return side == Side::Host || ((by_reference || collective) && hostArgument(captured, by_reference));
}

void capturedKey(Sema& sema, const Callable& callable, const ast::Function& node, bool collective, Side side,
                 std::string& key) {
  key += callable.name;
  key += callable.scope == Scope::Library ? "l" : "";
  for (const Argument& captured : callable.captured) {
    key += ';';
    if (captured.is_callable) {
      capturedKey(sema, captured.callable, node, collective, side, key);
      continue;
    }
    typeKey(sema, captured.value->type, key);
    if (auto constant = known(captured, node))
      key += fmt::format("={}:{}", constant->integer, std::bit_cast<int64_t>(constant->floating));
    key += hostCapture(captured, collective, side) ? "H" : "";
  }
}

void addCaptured(Sema& sema, const Callable& callable, const ast::Function& node, bool collective, Function& function) {
  for (const Argument& captured : callable.captured) {
    if (captured.is_callable) {
      addCaptured(sema, captured.callable, node, collective, function);
      continue;
    }
    const Variable* around = rootVariable(captured.value);
    auto* variable =
        sema.arena.make<Variable>(around ? around->name : "captured", captured.value->type, captured.range);
    variable->by_reference = byReference(captured), variable->is_const = true;
    if (auto constant = known(captured, node))
      variable->constants.push_back(*constant);
    variable->side = hostCapture(captured, collective, function.side) ? Side::Host : Side::Device;
    function.params.push_back(variable);
  }
}

// Returns the callable that the parameter is inside the function: `next` is the first parameter that holds a captured
// value.
Callable boundTo(Sema& sema, const Callable& callable, const Function& function, size_t& next) {
  std::vector<Argument> bound(callable.captured.begin(), callable.captured.end());
  for (Argument& captured : bound) {
    if (captured.is_callable) {
      captured.callable = boundTo(sema, captured.callable, function, next);
      continue;
    }
    Variable* variable = function.params[next++];
    captured.value = sema.nodes.use(variable, captured.range);
  }
  Callable made = callable;
  made.captured = sema.nodes.keep(bound);
  return made;
}

// Uses a parameter that was given a lambda: its captured values are used, too.
Callable again(Body& body, const Callable& callable) {
  std::vector<Argument> used(callable.captured.begin(), callable.captured.end());
  for (Argument& captured : used) {
    if (captured.is_callable)
      captured.callable = again(body, captured.callable);
    else
      captured.value = useVariable(body, captured.value->variable, captured.range);
  }
  Callable made = callable;
  made.captured = body.sema.nodes.keep(used);
  return made;
}

// Appends the captured values that a call passes; returns the number of parameters for them.
size_t passCaptured(Body& body, const Callable& callable, std::vector<Expr*>& values) {
  size_t count = values.size();
  for (const Argument& captured : callable.captured) {
    if (captured.is_callable)
      passCaptured(body, captured.callable, values);
    else
      values.push_back(body.sema.nodes.copyOf(captured.value));
  }
  return values.size() - count;
}

Expr* callLambda(Body& body, const Callable& lambda, std::vector<Argument> arguments, SourceRange range) {
  Callable used = again(body, lambda);
  arguments.insert(arguments.end(), used.captured.begin(), used.captured.end());
  return callFrom(body, used.scope, used.name, std::move(arguments), range);
}

} // namespace bsgp::sema
