#include "sema/expr_names.h"

#include <algorithm>

#include <fmt/format.h>

#include "sema/body.h"
#include "sema/constant.h"
#include "sema/expressions.h"
#include "sema/foreign_functions.h"
#include "sema/lambdas.h"
#include "sema/misplaced.h"
#include "sema/name_scopes.h"
#include "sema/references.h"
#include "sema/scopes.h"
#include "sema/suggest.h"

namespace bsgp::sema {

namespace {

bool hasArray(const Type* type) {
  if (!type->isStruct())
    return type->isArray();
  return std::any_of(type->structure->fields.begin(), type->structure->fields.end(),
                     [](const StructField& field) { return hasArray(field.type); });
}

uint64_t scalarCount(const Type* type) {
  if (type->isVector())
    return type->count;
  if (type->isArray())
    return type->count * scalarCount(type->element);
  uint64_t count = !type->isStruct();
  if (type->isStruct())
    for (const StructField& field : type->structure->fields)
      count += scalarCount(field.type);
  return count;
}

} // namespace

static Expr* unknownName(Body& body, const ast::Expr* e);

Expr* name(Body& body, const ast::Expr* e) {
  Symbol symbol = find(body, e->name);
  switch (symbol.kind) {
  case Symbol::Variable:
    return useVariable(body, symbol.variable, e->range);
  case Symbol::Number:
    return number(body, symbol.number, symbol.type, e->range);
  case Symbol::Callable:
    return fail(body, Diag::function_as_value, e->range, e->name);
  case Symbol::Reference:
    return seenHere(body, symbol.place, e->range);
  case Symbol::None:
    break;
  }
  if (hasFunction(body.sema, e->name))
    return fail(body, Diag::function_as_value, e->range, e->name);
  if (e->name.starts_with("atomic_") && isDeviceCall(e->name))
    return fail(body, Diag::atomic_as_value, e->range, e->name);
  Expr* wrong = unknownName(body, e);
  Symbol once; // one message for each name
  once.kind = Symbol::Variable;
  once.variable = body.sema.arena.make<Variable>(e->name, body.sema.types.error, e->range);
  once.variable->side = body.mode.side;
  bind(body, e->name, once);
  return wrong;
}

static Expr* unknownName(Body& body, const ast::Expr* e) {
  if (auto ended = body.names.ended.find(e->name); ended != body.names.ended.end()) {
    const auto& [variable, with] = ended->second;
    if (variable->type->isError()) // which was said
      return error(body, e->range);
    bool of_thread = std::string_view(with) == "the spawn";
    bool plain = variable->type->isScalar() || variable->type->isVector() || variable->type->isStruct();
    std::string help = of_thread ? "each thread had one of its own: store it in memory, or reduce it to one value"
                       : plain   ? fmt::format("declare it further out: {} {};", typeName(variable->type), e->name)
                                 : std::string("declare it further out");
    Expr* wrong = fail(body, Diag::name_ended, e->range, e->name, with, help);
    body.sema.diag.report(Diag::note_declared, variable->range, e->name);
    return wrong;
  }
  if (e->name == "thread")
    return fail(body, Diag::thread_as_value, e->range);
  if (const char* help = foreignNameHelp(e->name))
    return fail(body, Diag::foreign_word, e->range, e->name, help);
  if (std::string file = includeOf(body.sema, e->name); !file.empty())
    return fail(body, Diag::not_included, e->range, e->name, file);
  std::string near = suggestion(body.sema, e->name, &body);
  if (std::string help = foreignCallHelp(e->name); near.empty() && !help.empty())
    return fail(body, Diag::foreign_word, e->range, e->name, help);
  return fail(body, Diag::unknown_name, e->range, e->name, near);
}

// A host variable that device code reads whole, or at a place that is found at run time. A primitive that returns its result does
// not read it: its caller may.
bool capturesTooMuch(const Body& body, const Variable* v) {
  bool captured = onDevice(body) && !body.function.isInternal() && v->side == Side::Host &&
                  v->kind != Variable::Constant && v->kind != Variable::Shared;
  return captured && !body.mode.unevaluated && hasArray(v->type) && scalarCount(v->type) > kMostCaptured;
}

// The way out if a require names a variable of the thread, or a lambda does that a collective uses for all threads.
constexpr const char* kToHost =
    "a require runs once, before the threads: hand values over in device memory, or reduce them to one";
constexpr const char* kOneForAll =
    "what the lambda computes is one for all threads, and so is what it takes along: what each thread "
    "has belongs into the value that is given beside it";

Expr* failToCapture(Body& body, const Variable& array, const Expr* at, SourceRange element, SourceRange range) {
  std::string help = "make it a file-scope const, if its numbers are constants; else device memory holds it";
  if (const Type& type = *array.type; type.isArray() && type.element->isScalar())
    help += fmt::format(": dlist({0}) d; d.resize({1}); copy(d.data, {2}, {1}); in front of the spawn",
                        typeName(type.element), type.count, array.name);
  if (at && body.mode.in_spawn && isHostValued(at))
    help = fmt::format("one element for all threads is a host value: require {} = {};", nameFor(body, range.end),
                       sourceText(body, element));
  return fail(body, Diag::host_array_on_device, range, array.name, typeName(array.type), kMostCaptured, help);
}

Expr* useVariable(Body& body, Variable* v, SourceRange range) {
  if (v->type->isError())
    return error(body, range);
  bool is_local = v->kind == Variable::Local || v->kind == Variable::Shared;
  if (!body.mode.unevaluated && !onDevice(body) && body.mode.in_spawn && v->side == Side::Device && is_local) {
    Diag what = v->kind == Variable::Shared ? Diag::shared_on_host : Diag::thread_variable_on_host;
    // A variable that a lambda takes along is a parameter of the library's function, too.
    bool taken_along =
        isCopy(body, *v) || (body.scope == Scope::Library && scopeOf(body.sema, v->range) == Scope::Program);
    Expr* e = fail(body, what, range, v->name, taken_along ? kOneForAll : kToHost);
    body.sema.diag.report(Diag::note_declared, v->range, v->name);
    return e;
  }
  if (!v->type->holds_lists && capturesTooMuch(body, v)) // of lists, those that are named become parameters
    return failToCapture(body, *v, nullptr, range, range);
  Expr* e = body.sema.nodes.use(v, range);
  ConstValue known; // a constant of the host is one in device code, no parameter
  if (onDevice(body) && v->side == Side::Host && v->kind == Variable::Local && v->type->isScalar() &&
      constantValue(e, known)) {
    e->kind = Expr::Constant; // which keeps its variable, for messages
    e->value = known;
  }
  return e;
}

} // namespace bsgp::sema
