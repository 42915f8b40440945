#include "sema/expr_calls.h"

#include <algorithm>
#include <cctype>
#include <ranges>

#include <fmt/format.h>

#include "sema/arguments.h"
#include "sema/block.h"
#include "sema/body.h"
#include "sema/constant.h"
#include "sema/convert.h"
#include "sema/expr_access.h"
#include "sema/expr_assign.h"
#include "sema/expr_builtins.h"
#include "sema/expr_construct.h"
#include "sema/expr_names.h"
#include "sema/expr_operators.h"
#include "sema/expr_thread.h"
#include "sema/expressions.h"
#include "sema/foreign_functions.h"
#include "sema/instantiate.h"
#include "sema/lambdas.h"
#include "sema/lists.h"
#include "sema/misplaced.h"
#include "sema/name_scopes.h"
#include "sema/narrow_sums.h"
#include "sema/resolve_type.h"
#include "sema/scopes.h"
#include "sema/select.h"
#include "sema/stmt_parallel.h"
#include "sema/suggest.h"
#include "sema/traits.h"
#include "sema/tree_walk.h"
#include "sema/views.h"
#include "sema/warn_counts.h"
#include "sema/warnings.h"
#include "sema/warp.h"
#include "sema/written.h"

namespace bsgp::sema {

static std::string elementHelp(const Body& body, const ast::Expr* call, const Type* type);
static Expr* callNamed(Body& body, std::string_view name, const ast::Expr* e, Scope scope);
static void placeCall(Body& body, const Function& function, const std::vector<Argument>& arguments, SourceRange range);
static Expr* methodCall(Body& body, const ast::Expr* e);

bool asCallable(Body& body, const ast::Expr* e, Callable& out) {
  out = {};
  out.scope = body.scope;
  if (e->kind == ast::Expr::OperatorRef) {
    out.name = ast::spelling(e->binary), out.is_operator = true, out.op = e->binary;
    return true;
  }
  if (e->kind == ast::Expr::Lambda) {
    out = lambda(body, e);
    return true;
  }
  if (e->kind != ast::Expr::Name)
    return false;
  Symbol symbol = find(body, e->name);
  if (symbol.kind == Symbol::Callable) {
    out = again(body, symbol.callable);
    return true;
  }
  out.name = e->name;
  return symbol.kind == Symbol::None && hasFunction(body.sema, e->name);
}

std::vector<Argument> arguments(Body& body, std::span<ast::Expr*> list) {
  std::vector<Argument> out;
  for (ast::Expr* e : list)
    out.push_back(argument(body, e));
  return out;
}

Argument argument(Body& body, const ast::Expr* e) {
  Argument argument;
  argument.range = e->range;
  argument.is_callable = asCallable(body, e, argument.callable);
  if (!argument.is_callable)
    argument.value = expr(body, e);
  return argument;
}

Expr* call(Body& body, const ast::Expr* e) {
  const ast::Expr* callee = e->a;
  if (callee->kind == ast::Expr::Thread)
    return threadCall(body, e);
  if (isMethodCall(*e))
    return methodCall(body, e);
  if (callee->kind == ast::Expr::Block)
    return blockCall(body, e);
  if (callee->kind == ast::Expr::Warp)
    return warpCall(body, e);
  if (callee->kind == ast::Expr::Lambda)
    return fail(body, Diag::lambda_as_value, callee->range);
  if (callee->kind != ast::Expr::Name)
    return fail(body, Diag::not_callable, callee->range, "this", "");
  Symbol symbol = find(body, callee->name);
  if (symbol.kind == Symbol::Callable) {
    if (!symbol.callable.captured.empty())
      return callLambda(body, symbol.callable, arguments(body, e->args), e->range);
    if (!symbol.callable.is_operator)
      return callNamed(body, symbol.callable.name, e, symbol.callable.scope);
    if (e->args.size() != 2)
      return fail(body, Diag::argument_count, e->range, symbol.callable.name, 2, e->args.size());
    Expr* left = rvalue(body, e->args[0]);
    return binaryOn(body, symbol.callable.op, left, rvalue(body, e->args[1]), e->range);
  }
  if (symbol.variable && symbol.variable->type->isError()) // which was said
    return error(body, e->range);
  if (symbol.kind != Symbol::None)
    return fail(body, Diag::not_callable, callee->range, fmt::format("'{}'", callee->name),
                elementHelp(body, e, symbol.type));
  return callNamed(body, callee->name, e, body.scope);
}

// u(y, x) of an array, as in Fortran and MATLAB.
static std::string elementHelp(const Body& body, const ast::Expr* call, const Type* type) {
  size_t wanted = !type                                                     ? 0
                  : type->isView()                                          ? type->count
                  : type->isPointer() || type->isArray() || type->isDList() ? 1
                                                                            : 0;
  if (wanted == 0 || call->args.size() != wanted)
    return hasFunction(body.sema, call->a->name)
               ? fmt::format("the variable '{0}' hides the function '{0}': give it another name", call->a->name)
               : "";
  SourceRange inside{call->args.front()->range.begin, call->args.back()->range.end};
  return fmt::format("write {}[{}]", call->a->name, sourceText(body, inside));
}

static Expr* callNamed(Body& body, std::string_view name, const ast::Expr* e, Scope scope) {
  if (const Type* type = typeNamed(body.sema, name, scope)) {
    std::vector<Expr*> args;
    for (ast::Expr* arg : e->args)
      args.push_back(rvalue(body, arg));
    return constructType(body, type, args, e->range);
  }
  if (!hasFunction(body.sema, name, scope)) {
    if (Expr* made = builtin(body, name, e))
      return made;
    if (!foreignCallHelp(name).empty()) { // its arguments are as foreign
      reportUnknownFunction(body.sema, name, e->range, body);
      return error(body, e->range);
    }
  }
  return callFrom(body, scope, name, arguments(body, e->args), e->range, isUsed(body, e));
}

// A function of the library that makes a number of numbers which the host has: the host can compute it, too.
static bool computesFromHost(const Body& body, const Function& function, std::span<Expr* const> values) {
  const ast::Function* node = declarationOf(body.sema, function);
  auto is_number = [](const Type* type) { return type->isScalar() || type->isVector(); };
  return node && isMath(body.sema, *node) && is_number(function.result) &&
         std::all_of(function.params.begin(), function.params.end(),
                     [](const Variable* p) { return !p->by_reference; }) &&
         std::all_of(values.begin(), values.end(),
                     [&](const Expr* value) { return is_number(value->type) && isHostValued(value); });
}

// Drops the braces around statements, and loops without iterations.
static void flattened(const Stmt& s, std::vector<const Stmt*>& out) {
  if (s.kind != Stmt::Block && s.kind != Stmt::Sequence)
    return out.push_back(&s);
  for (const Stmt* inner : s.stmts)
    flattened(*inner, out);
}

// The expression that a function of declarations and a return gives back: a local of it by its first value. Null: another
// function.
static const Expr* returnedValue(const Function& function) {
  std::vector<const Stmt*> stmts;
  if (function.body)
    flattened(*function.body, stmts);
  if (stmts.empty() || stmts.back()->kind != Stmt::Return)
    return nullptr;
  const Expr* value = stmts.back()->expr;
  stmts.pop_back();
  for (const Stmt* s : std::views::reverse(stmts)) {
    if (s->kind != Stmt::Decl)
      return nullptr;
    if (value && value->kind == Expr::Var && value->variable == s->variable)
      value = s->expr;
  }
  return value;
}

// The number that a function returns which is collective, but in this instance does no more than to return it.
static std::optional<ConstValue> constantResult(Sema& sema, const Function& function) {
  const Expr* returned = function.collective || !function.result->isScalar() ? nullptr : returnedValue(function);
  ConstValue value;
  if (!returned || !constantValue(returned, value))
    return std::nullopt;
  const ast::Function* node = declarationOf(sema, function);
  return node && traits(sema, *node).synchronizes ? std::optional(value) : std::nullopt;
}

Expr* callFrom(Body& body, Scope scope, std::string_view name, std::vector<Argument> arguments, SourceRange range,
               bool used) {
  for (Argument& argument : arguments)
    if (argument.value && argument.value->type->isError())
      return error(body, range);
  auto [function, on_device_memory] = select(body.sema, name, arguments, range, body, used, scope);
  if (!function || !checkSums(body, *function, range))
    return error(body, range);
  bool swapped = false; // then nothing more is reported of their values
  if (warns(body)) {
    warnOfMixedExtremes(*function, arguments, range, body.sema);
    swapped = warnOfSwapped(*function, arguments, range, body.sema);
    warnOfOrders(*function, arguments, body.sema);
    if (!checkCounted(body, *function, arguments))
      return error(body, range);
  }
  std::vector<Expr*> values;
  size_t next = 0;
  for (Argument& argument : arguments) {
    if (argument.is_callable) {
      next += passCaptured(body, argument.callable, values);
      continue;
    }
    if (next >= function->params.size()) { // variadic part: C's promotions
      Expr* value = decay(body, argument.value);
      if (!value->type->isScalar() && !value->type->isPointer() && value->type->kind != TypeKind::Null)
        return fail(body, Diag::bad_extern_type, argument.range, typeName(value->type));
      const Type* type = value->type->isFloat()    ? body.sema.types.f64
                         : value->type->isScalar() ? promoted(body.sema, value->type)
                                                   : value->type;
      values.push_back(value->type->isScalar() ? cast(body, value, type) : value);
      continue;
    }
    Variable* param = function->params[next++];
    if (param->type->isError())
      return error(body, range);
    if (on_device_memory && isOpenPointer(argument)) {
      values.push_back(argument.value);
      continue;
    }
    if (!param->by_reference) {
      Expr* value = decay(body, argument.value);
      bool of_numbers = value->type->isScalar() && param->type->isScalar() && !param->type->isBool();
      values.push_back(swapped && of_numbers ? cast(body, value, param->type)
                                             : convert(body, value, param->type, "this argument"));
      continue;
    }
    const Type* given = argument.value->type;
    if (!param->is_const && !given->isDList() && !requireLvalue(body, argument.value, kReferenceParameter))
      return error(body, range);
    bool checked = !given->holds_lists || isConst(argument.value);
    if (!param->is_const && checked && !checkWritable(body, argument.value, argument.range))
      return error(body, range);
    if (argument.value->kind == Expr::Swizzle && argument.value->lane_count > 1)
      return fail(body, Diag::no_address, argument.range, kIntoVariable);
    if (const Variable* root = rootVariable(argument.value); root && body.mode.side == Side::Host)
      const_cast<Variable*>(root)->address_taken = true;
    values.push_back(argument.value);
  }
  for (Expr* value : values)
    if (value->type->isError())
      return value;
  Expr* r = body.sema.nodes.make(Expr::Call, function->result, range);
  r->function = function;
  r->args = body.sema.nodes.keep(values);
  if (on_device_memory)
    body.sema.functions.open_calls.push_back({r, on_device_memory, openPointerOf(arguments)});
  if (body.mode.unevaluated)
    return function->result->isError() ? error(body, range) : r;
  if ((function->syncs_block || function->syncs_warp) && !function->synchronizes)
    refuseInWavefront(body, meetingIn(*function), range);
  if (function->syncs_block)
    sawBlockSync(body);
  if (function->syncs_warp)
    sawWarpSync(body);
  bool repeatable = onDevice(body) && used && std::all_of(values.begin(), values.end(), isRepeatable);
  if (std::optional<ConstValue> known = repeatable ? constantResult(body.sema, *function) : std::nullopt) {
    return body.sema.nodes.constant(*known, function->result, range);
  }
  if (onDevice(body) && computesFromHost(body, *function, values)) {
    Restored side(body.mode.side);
    body.mode.side = Side::Host;
    r->on_host = select(body.sema, name, arguments, range, body, used, scope).function;
  }
  if (function->collective)
    placeCall(body, *function, arguments, range);
  return function->result->isError() ? error(body, range) : r;
}

// One that only gets and puts may stand in a thread's own control flow, as a statement.
static void placeCall(Body& body, const Function& function, const std::vector<Argument>& arguments, SourceRange range) {
  bool exchanges = !function.synchronizes && !function.host_result;
  if (!exchanges || std::any_of(body.flow.enclosing.begin(), body.flow.enclosing.end(), [](const Enclosing& around) {
        return around.inExpression() || around.tests || around.isAsm();
      }))
    placeCollective(body, exchanges ? kCallThatGets : "a collective call", range,
                    body.flow.enclosing.empty() ? std::vector<std::string>{}
                                                : insteadOf(body, function, arguments, range));
  exchanges ? sawExchange(body) : sawCollective(body);
}

// s.f(...), p->f(...): S.f with s as its first argument.
static Expr* methodCall(Body& body, const ast::Expr* e) {
  Expr* object = e->a->kind == ast::Expr::Arrow ? pointee(body, e->a) : expr(body, e->a->a);
  if (object->type->isError())
    return object;
  if (!object->type->isStruct())
    return dlistMethod(body, object, e);
  std::string full = methodName(object->type, e->a->name);
  if (!hasFunction(body.sema, full)) {
    std::string known = methodsOf(body.sema, object->type);
    return fail(body, Diag::no_method, e->range, typeName(object->type), e->a->name,
                fieldSuggestion(body.sema, object->type, e->a->name),
                known.empty() ? "a function f on a value a is called f(a)" : "its functions are " + known);
  }
  std::vector<Expr*> first;
  if (!isLvalue(object) && !object->type->holds_lists &&
      writesThis(body.sema, full, object->type)) { // into a variable that is then gone
    first.push_back(keptLocal(body, "this", object));
    object = useVariable(body, first.back()->a->variable, object->range);
  }
  std::vector<Argument> given{{object, false, {}, object->range}};
  std::vector<Argument> others = arguments(body, e->args);
  given.insert(given.end(), others.begin(), others.end());
  return behind(body, first, callWith(body, body.sema.arena.copy(full), given, e->range, isUsed(body, e)));
}

} // namespace bsgp::sema
