#include "sema/expr_names.h"

#include <algorithm>

#include <fmt/format.h>

#include "sema/block.h"
#include "sema/body.h"
#include "sema/conditions.h"
#include "sema/constant.h"
#include "sema/convert.h"
#include "sema/expr_access.h"
#include "sema/expr_assign.h"
#include "sema/expr_builtins.h"
#include "sema/expr_calls.h"
#include "sema/expr_operators.h"
#include "sema/expr_thread.h"
#include "sema/foreign_functions.h"
#include "sema/name_scopes.h"
#include "sema/references.h"
#include "sema/suggest.h"
#include "sema/warp.h"

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

static Expr* literal(Body& body, const ast::Expr* e);
static Expr* name(Body& body, const ast::Expr* e);
static Expr* unknownName(Body& body, const ast::Expr* e);

Expr* expr(Body& body, const ast::Expr* e) {
  switch (e->kind) {
  case ast::Expr::IntLit:
  case ast::Expr::FloatLit:
  case ast::Expr::CharLit:
  case ast::Expr::StringLit:
  case ast::Expr::BoolLit:
  case ast::Expr::Null:
    return literal(body, e);
  case ast::Expr::Name:
    return name(body, e);
  case ast::Expr::Lambda:
    return fail(body, Diag::lambda_as_value, e->range);
  case ast::Expr::OperatorRef:
    return fail(body, Diag::operator_as_value, e->range, ast::spelling(e->binary));
  case ast::Expr::Unary:
    return unary(body, e);
  case ast::Expr::Binary:
    return binary(body, e);
  case ast::Expr::Assign:
    return e->has_op ? compound(body, e) : assign(body, e);
  case ast::Expr::Conditional:
    return conditional(body, e);
  case ast::Expr::Call:
    return call(body, e);
  case ast::Expr::Construct:
    return construct(body, e);
  case ast::Expr::Index:
    return index(body, e);
  case ast::Expr::Member:
  case ast::Expr::Arrow:
    return member(body, e);
  case ast::Expr::Cast:
    return explicitCast(body, e);
  case ast::Expr::SizeofType:
  case ast::Expr::SizeofExpr:
    return sizeOf(body, e);
  case ast::Expr::New:
    return allocation(body, e);
  case ast::Expr::Delete:
    return release(body, e);
  case ast::Expr::Thread:
    return threadMember(body, e);
  case ast::Expr::Block:
    return blockMember(body, e);
  case ast::Expr::Warp:
    return warpMember(body, e);
  case ast::Expr::InitList:
    return fail(body, Diag::init_list_here, e->range);
  case ast::Expr::Error:
    return error(body, e->range);
  }
  return error(body, e->range);
}

Expr* rvalue(Body& body, const ast::Expr* e) {
  Expr* value = decay(body, expr(body, e));
  return value->type->isVoid() ? noValue(body, value) : value;
}

Expr* noValue(Body& body, const Expr* e) {
  return fail(body, Diag::void_value, e->range,
              e->kind == Expr::Call ? fmt::format("'{}'", e->function->name) : "this");
}

Expr* condition(Body& body, const ast::Expr* e) {
  Diagnostics::Mark before = body.sema.diag.mark();
  Expr* value = toBool(body, rvalue(body, e));
  if (value->type->isError())
    sayToCompare(*e, before, body.sema.diag);
  return value;
}

Expr* number(Body& body, int64_t value, const Type* type, SourceRange range) {
  Expr* e = body.sema.nodes.make(Expr::Constant, type, range);
  e->value.integer = value;
  return e;
}

static Expr* literal(Body& body, const ast::Expr* e) {
  switch (e->kind) {
  case ast::Expr::IntLit: {
    bool wide = e->literal_bits == 64 || e->integer > (e->literal_unsigned ? 0xffffffffull : 0x7fffffffull);
    bool is_unsigned = e->literal_unsigned || e->integer > 0x7fffffffffffffffull;
    return number(body, static_cast<int64_t>(e->integer), body.sema.types.integer(wide ? 64 : 32, !is_unsigned),
                  e->range);
  }
  case ast::Expr::CharLit:
    return number(body, static_cast<int64_t>(e->integer), body.sema.types.i32, e->range);
  case ast::Expr::BoolLit:
    return number(body, e->integer != 0, body.sema.types.bool_, e->range);
  case ast::Expr::FloatLit: {
    Expr* value = body.sema.nodes.make(Expr::Constant, body.sema.types.floating(e->literal_bits ? e->literal_bits : 64),
                                       e->range);
    value->value.floating = e->floating; // the lexer has rounded it to its type
    return value;
  }
  case ast::Expr::StringLit: {
    if (onDevice(body))
      return fail(body, Diag::string_on_device, e->range,
                  "strings stand in printf and in host code; use a const array of char");
    Expr* s = body.sema.nodes.make(Expr::String, body.sema.types.pointer(body.sema.types.i8, Space::Host), e->range);
    s->text = e->name;
    return s;
  }
  default:
    return body.sema.nodes.make(Expr::Null, body.sema.types.null, e->range);
  }
}

Symbol findLocal(const Body& body, std::string_view name) {
  auto it = body.names.symbols.find(name);
  return it != body.names.symbols.end() && !it->second.empty() ? it->second.back().second : Symbol();
}

Symbol find(const Body& body, std::string_view name) {
  if (Symbol local = findLocal(body, name); local.kind != Symbol::None)
    return local;
  const Symbol* found = global(body.sema, name, body.scope);
  return found ? *found : Symbol();
}

void bind(Body& body, std::string_view name, Symbol symbol) {
  auto& stack = body.names.symbols[name];
  if (!stack.empty() && stack.back().first == body.names.marks.size()) {
    stack.back().second = symbol;
    return;
  }
  stack.emplace_back(body.names.marks.size(), symbol);
  body.names.visible.push_back(name);
}

void popScope(Body& body, const char* with) {
  size_t mark = body.names.marks.back();
  body.names.marks.pop_back();
  while (body.names.visible.size() > mark) {
    auto& stack = body.names.symbols[body.names.visible.back()];
    if (stack.back().second.kind == Symbol::Variable)
      body.names.ended[body.names.visible.back()] = {stack.back().second.variable, with};
    stack.pop_back();
    body.names.visible.pop_back();
  }
  for (; !body.names.heads.empty() && body.names.heads.back().depth > body.names.marks.size();
       body.names.heads.pop_back())
    body.names.ended_heads.erase(body.names.heads.back().name);
}

static Expr* name(Body& body, const ast::Expr* e) {
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

Expr* useVariable(Body& body, Variable* v, SourceRange range) {
  if (v->type->isError())
    return error(body, range);
  bool is_local = v->kind == Variable::Local || v->kind == Variable::Shared;
  if (!body.mode.unevaluated && !onDevice(body) && body.mode.in_spawn && v->side == Side::Device && is_local) {
    Diag what = v->kind == Variable::Shared ? Diag::shared_on_host : Diag::thread_variable_on_host;
    Expr* e = fail(body, what, range, v->name);
    body.sema.diag.report(Diag::note_declared, v->range, v->name);
    return e;
  }
  if (!v->type->holds_lists && capturesTooMuch(body, v)) // of lists, those that are named become parameters
    return fail(body, Diag::host_array_on_device, range, v->name, typeName(v->type), kMostCaptured);
  Expr* e = body.sema.nodes.make(Expr::Var, v->type, range);
  e->variable = v;
  ConstValue known; // a constant of the host is one in device code, no parameter
  if (onDevice(body) && v->side == Side::Host && v->kind == Variable::Local && v->type->isScalar() &&
      constantValue(e, known)) {
    e->kind = Expr::Constant; // which keeps its variable, for messages
    e->value = known;
  }
  return e;
}

} // namespace bsgp::sema
