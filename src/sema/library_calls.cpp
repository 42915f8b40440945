#include "sema/library_calls.h"

#include <algorithm>

#include <fmt/format.h>

#include "sema/body.h"
#include "sema/constant.h"
#include "sema/expr_calls.h"
#include "sema/expressions.h"
#include "sema/name_scopes.h"
#include "sema/nearest_form.h"
#include "sema/select.h"
#include "sema/tree_walk.h"

namespace bsgp::sema {

namespace {

// Messages that make sense at the call as they are.
bool speaksOfTheCall(Diag kind) {
  return kind == Diag::no_identity || kind == Diag::not_an_operator || kind == Diag::operator_of_two ||
         kind == Diag::library_needs;
}

// Messages that name a function which cannot be called on this side: at the call, that of the library is it.
bool speaksOfTheSide(Diag kind) {
  return kind == Diag::host_call_on_device || kind == Diag::collective_on_host || kind == Diag::device_call_on_host;
}

// Messages that name something that only threads have.
bool speaksOfThreads(Diag kind) {
  return kind == Diag::thread_outside_spawn || kind == Diag::block_outside_spawn || kind == Diag::warp_outside_spawn;
}

// __sort_records and the like are the library's own affair.
bool namesInternals(const std::string& message) {
  size_t at = message.find("__");
  bool inside_word = at != std::string::npos && at > 0 && isalnum(static_cast<unsigned char>(message[at - 1]));
  return at != std::string::npos && !inside_word;
}

// [](x) { x > 1; } gives nothing: says so where the library misses its value.
std::string helpForMissingReturn(const Sema& sema, const Diagnostic& inside, const std::vector<Argument>& arguments) {
  bool misses = inside.message.find("void") != std::string::npos || inside.kind == Diag::void_value;
  for (const Argument& argument : arguments) {
    bool is_lambda = misses && argument.is_callable && argument.callable.is_lambda;
    Overloads set = is_lambda ? overloads(sema, argument.callable.name, argument.callable.scope) : Overloads{};
    const ast::Stmt* body = set.empty() ? nullptr : set.front()->body;
    const ast::Stmt* last = body && !body->stmts.empty() ? body->stmts.back() : nullptr;
    if (last && last->kind == ast::Stmt::ExprStmt && last->expr->kind != ast::Expr::Assign && !isCount(last->expr))
      return fmt::format("the lambda returns nothing: write return {};", sema.diag.sources().text(last->expr->range));
  }
  return "";
}

// Says which argument of the call is a function where the library takes a value. False: `inside` reports something else.
bool tellOfFunction(Sema& sema, const Diagnostic& inside, std::string_view name,
                    const std::vector<Argument>& arguments) {
  if (inside.kind != Diag::function_as_value && inside.kind != Diag::operator_as_value)
    return false;
  std::string_view named = sema.diag.sources().text(inside.range);
  for (const ast::Function* node : overloads(sema, name, Scope::Program))
    for (size_t i = 0; node->params.size() == arguments.size() && i < arguments.size(); ++i) {
      if (node->params[i].name != named || !arguments[i].is_callable || arguments[i].callable.is_lambda)
        continue;
      bool is_operator = arguments[i].callable.is_operator;
      sema.diag.report(Diag::library_needs, arguments[i].range,
                       fmt::format("'{}' takes a value here, and '{}' is {}", name,
                                   sema.diag.sources().text(arguments[i].range),
                                   is_operator ? "an operator" : "a function"),
                       "the arguments stand in this order: " + formOf(sema, *node));
      return true;
    }
  return false;
}

} // namespace

std::string shown(const std::vector<Argument>& arguments) {
  std::string out;
  for (const Argument& a : arguments) {
    bool is_lambda = a.is_callable && a.callable.is_lambda;
    const char* what = is_lambda ? "" : a.is_callable && a.callable.is_operator ? "operator " : "function ";
    out += (out.empty() ? "" : ", ") + (a.is_callable ? what + std::string(a.callable.name) : typeName(a.value->type));
  }
  return out;
}

bool entersLibrary(const Sema& sema, const ast::Function& node, SourceRange call, const Body* caller) {
  return caller && sema.diag.sources().ofLibrary(node.range) && !sema.diag.sources().ofLibrary(call);
}

// Handles an instance of the library with errors reported since `before`. The first of them is kept for other calls
// of it. Messages at the program's own lines stay (its operator may be wrong); at a call in the program, the first of
// the others is reported at the call. Always returns null: the result is wrong.
Function* breakInstance(Sema& sema, const Function& function, const std::vector<Argument>& arguments, SourceRange call,
                        Body* caller, const Diagnostics::Mark& before) {
  bool at_program = caller && !sema.diag.sources().ofLibrary(call);
  std::vector<Diagnostic> said = sema.diag.takeSince(before);
  std::optional<Diagnostic> first;
  bool own = false, dropping = false;
  for (Diagnostic& message : said) {
    bool library = sema.diag.sources().ofLibrary(message.range);
    if (message.severity != Severity::Note) {
      dropping = library && message.severity == Severity::Error;
      own |= !library && message.severity == Severity::Error;
      if (dropping && !first)
        first = message;
    }
    bool stays = at_program ? !dropping && !(library && message.kind == Diag::note_called_here) : true;
    if (stays)
      sema.diag.put(std::move(message));
  }
  if (first && !own)
    sema.instances.broken.emplace(&function, *first);
  if (at_program && own)
    sema.diag.report(Diag::note_called_here, call, function.name);
  else if (at_program && first)
    tellOf(sema, *first, function.name, arguments, call, caller);
  return nullptr;
}

// sort(l) of structs: the call as it is with an order, which is their own < where they have one.
static void nameTheOrder(Body& caller, Diagnostic& inside, std::string_view name,
                         const std::vector<Argument>& arguments) {
  bool lacks = inside.kind == Diag::library_needs && inside.help.starts_with("give a less(a, b)") &&
               inside.help.find(fmt::format(": {}(", name)) != std::string::npos;
  if (!lacks || arguments.empty() || !arguments[0].value)
    return;
  const Type* type = arguments[0].value->type;
  Argument key;
  key.value = caller.sema.nodes.make(Expr::Null, type->isStruct() ? type : type->element, arguments[0].range);
  key.range = arguments[0].range;
  bool ordered = key.value->type && key.value->type->isStruct() && hasFunction(caller.sema, "operator<") &&
                 takes(caller.sema, "operator<", {key, key}, caller);
  std::string call = fmt::format("{}(", name);
  for (const Argument& argument : arguments)
    call += fmt::format("{}, ", caller.sema.diag.sources().text(argument.range));
  inside.help = ordered ? fmt::format("give their operator as the order: {}<)", call)
                        : fmt::format("give a less(a, b), which says that a comes before b: {}less)", call);
}

void tellOf(Sema& sema, Diagnostic inside, std::string_view name, const std::vector<Argument>& arguments,
            SourceRange call, Body* caller) {
  if (std::string help = helpForMissingReturn(sema, inside, arguments); !help.empty())
    inside.help = help;
  else if (help = helpForOrder(sema, inside, name, arguments, caller); !help.empty())
    inside.help = help;
  if (caller)
    nameTheOrder(*caller, inside, name, arguments);
  if (tellOfFunction(sema, inside, name, arguments))
    return;
  if (speaksOfTheSide(inside.kind))
    return sema.diag.report(inside.kind, call, name,
                            inside.kind == Diag::host_call_on_device ? formOfThreads(sema, name)
                                                                     : formOfArrays(sema, name, arguments));
  if (size_t place = parameterOfHost(sema, inside, name, arguments.size()); place < arguments.size())
    return sema.diag.report(Diag::library_needs, call,
                            fmt::format("'{}' takes a '{}' that is one for all threads, and '{}' is each thread's own",
                                        name, sema.diag.sources().text(inside.range),
                                        sema.diag.sources().text(arguments[place].range)),
                            inside.help);
  if (speaksOfThreads(inside.kind))
    return sema.diag.report(Diag::collective_on_host, call, name, formOfArrays(sema, name, arguments));
  if (namesInternals(inside.message) || inside.kind == Diag::no_overload)
    return sema.diag.report(Diag::no_overload, call, name, shown(arguments), inside.help);
  if (!speaksOfTheCall(inside.kind))
    return sema.diag.report(Diag::library_call, call, name, shown(arguments), inside.message, inside.help);
  inside.range = call;
  sema.diag.put(std::move(inside));
}

// __needs(condition, x, "text", "way out"), in the library: an error at the program's call where the constant condition
// is false. {} in the text stands for the type of x.
Expr* needs(Body& body, const ast::Expr* e) {
  ConstValue known;
  Expr* holds = condition(body, e->args[0]);
  bool wrong = !holds->type->isError() && constantValue(holds, known) && !known.integer;
  if (wrong)
    return fail(body, Diag::library_needs, e->range,
                fmt::format(fmt::runtime(e->args[2]->name), typeName(typeOf(body, e->args[1]))), e->args[3]->name);
  return body.sema.nodes.make(Expr::Construct, body.sema.types.void_, e->range); // of nothing
}

std::optional<size_t> parametersOf(const Sema& sema, std::string_view name) {
  auto set = sema.functions.all.find(name);
  if (set == sema.functions.all.end())
    return std::nullopt;
  size_t count = set->second[0]->params.size();
  bool alike = std::all_of(set->second.begin(), set->second.end(),
                           [&](const ast::Function* node) { return node->params.size() == count; });
  return alike ? std::optional(count) : std::nullopt;
}

// __is_truth(x), __is_number(x), __is_integer(x), __is_real(x) (floating-point, or a vector of such), __is_vector(x), __is_pointer(x),
// __is_dlist(x),
// __is_function(x), __is_operator(x): constants; x is not evaluated. __skips_nan(op): collectives leave out operands of op
// that are NaN, for op is a function with that clause.
Expr* typeQuery(Body& body, std::string_view name, const ast::Expr* e) {
  if (Callable callable; name == "__is_function" || name == "__is_operator")
    return number(body, asCallable(body, e->args[0], callable) && (name == "__is_function" || callable.is_operator),
                  body.sema.types.bool_, e->range);
  if (Callable op; name == "__skips_nan")
    return number(body,
                  asCallable(body, e->args[0], op) && !op.is_operator &&
                      hasFunction(body.sema, fmt::format("{}.skips_nan", op.name)),
                  body.sema.types.bool_, e->range);
  constexpr std::string_view kNames[] = {"__is_truth",  "__is_number",  "__is_integer", "__is_real",
                                         "__is_vector", "__is_pointer", "__is_dlist"};
  if (std::find(std::begin(kNames), std::end(kNames), name) == std::end(kNames))
    return nullptr;
  const Type* type = typeOf(body, e->args[0]);
  if (type->isError())
    return error(body, e->range);
  bool holds = name == "__is_truth"     ? type->isBool()
               : name == "__is_number"  ? type->isScalar()
               : name == "__is_integer" ? type->isInt() || type->isBool()
               : name == "__is_real"    ? type->isFloat() || (type->isVector() && type->element->isFloat())
               : name == "__is_vector"  ? type->isVector()
               : name == "__is_pointer" ? type->isPointer() || type->isArray()
                                        : type->isDList();
  return number(body, holds, body.sema.types.bool_, e->range);
}

} // namespace bsgp::sema
