// The switch over expressions, literals and names.
#include <algorithm>

#include <fmt/format.h>

#include "sema/checker.h"
#include "sema/conditions.h"
#include "sema/foreign_functions.h"

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

Expr* Body::expr(const ast::Expr* e) {
  switch (e->kind) {
  case ast::Expr::IntLit:
  case ast::Expr::FloatLit:
  case ast::Expr::CharLit:
  case ast::Expr::StringLit:
  case ast::Expr::BoolLit:
  case ast::Expr::Null:
    return literal(e);
  case ast::Expr::Name:
    return name(e);
  case ast::Expr::Lambda:
    return fail(Diag::lambda_as_value, e->range);
  case ast::Expr::OperatorRef:
    return fail(Diag::operator_as_value, e->range, ast::spelling(e->binary));
  case ast::Expr::Unary:
    return unary(e);
  case ast::Expr::Binary:
    return binary(e);
  case ast::Expr::Assign:
    return e->has_op ? compound(e) : assign(e);
  case ast::Expr::Conditional:
    return conditional(e);
  case ast::Expr::Call:
    return call(e);
  case ast::Expr::Construct:
    return construct(e);
  case ast::Expr::Index:
    return index(e);
  case ast::Expr::Member:
  case ast::Expr::Arrow:
    return member(e);
  case ast::Expr::Cast:
    return explicitCast(e);
  case ast::Expr::SizeofType:
  case ast::Expr::SizeofExpr:
    return sizeOf(e);
  case ast::Expr::New:
    return allocation(e);
  case ast::Expr::Delete:
    return release(e);
  case ast::Expr::Thread:
    return threadMember(e);
  case ast::Expr::Block:
    return blockMember(e);
  case ast::Expr::Warp:
    return warpMember(e);
  case ast::Expr::InitList:
    return fail(Diag::init_list_here, e->range);
  case ast::Expr::Error:
    return error(e->range);
  }
  return error(e->range);
}

Expr* Body::rvalue(const ast::Expr* e) {
  Expr* value = decay(expr(e));
  return value->type->isVoid() ? noValue(value) : value;
}

Expr* Body::noValue(const Expr* e) {
  return fail(Diag::void_value, e->range, e->kind == Expr::Call ? fmt::format("'{}'", e->function->name) : "this");
}

Expr* Body::condition(const ast::Expr* e) {
  Diagnostics::Mark before = sema_.diag.mark();
  Expr* value = toBool(rvalue(e));
  if (value->type->isError())
    sayToCompare(*e, before, sema_.diag);
  return value;
}

Expr* Body::number(int64_t value, const Type* type, SourceRange range) {
  Expr* e = sema_.make(Expr::Constant, type, range);
  e->value.integer = value;
  return e;
}

Expr* Body::literal(const ast::Expr* e) {
  switch (e->kind) {
  case ast::Expr::IntLit: {
    bool wide = e->literal_bits == 64 || e->integer > (e->literal_unsigned ? 0xffffffffull : 0x7fffffffull);
    bool is_unsigned = e->literal_unsigned || e->integer > 0x7fffffffffffffffull;
    return number(static_cast<int64_t>(e->integer), types_.integer(wide ? 64 : 32, !is_unsigned), e->range);
  }
  case ast::Expr::CharLit:
    return number(static_cast<int64_t>(e->integer), types_.i32, e->range);
  case ast::Expr::BoolLit:
    return number(e->integer != 0, types_.bool_, e->range);
  case ast::Expr::FloatLit: {
    Expr* value = sema_.make(Expr::Constant, types_.floating(e->literal_bits ? e->literal_bits : 64), e->range);
    value->value.floating = e->floating; // the lexer has rounded it to its type
    return value;
  }
  case ast::Expr::StringLit: {
    if (onDevice())
      return fail(Diag::string_on_device, e->range,
                  "strings stand in printf and in host code; use a const array of char");
    Expr* s = sema_.make(Expr::String, types_.pointer(types_.i8, Space::Host), e->range);
    s->text = e->name;
    return s;
  }
  default:
    return sema_.make(Expr::Null, types_.null, e->range);
  }
}

Symbol Body::findLocal(std::string_view name) const {
  auto it = names_.find(name);
  return it != names_.end() && !it->second.empty() ? it->second.back().second : Symbol();
}

Symbol Body::find(std::string_view name) const {
  if (Symbol local = findLocal(name); local.kind != Symbol::None)
    return local;
  const Symbol* found = sema_.global(name, scope_);
  return found ? *found : Symbol();
}

void Body::bind(std::string_view name, Symbol symbol) {
  auto& stack = names_[name];
  if (!stack.empty() && stack.back().first == marks_.size()) {
    stack.back().second = symbol;
    return;
  }
  stack.emplace_back(marks_.size(), symbol);
  visible_.push_back(name);
}

void Body::popScope(const char* with) {
  size_t mark = marks_.back();
  marks_.pop_back();
  while (visible_.size() > mark) {
    auto& stack = names_[visible_.back()];
    if (stack.back().second.kind == Symbol::Variable)
      ended_[visible_.back()] = {stack.back().second.variable, with};
    stack.pop_back();
    visible_.pop_back();
  }
  for (; !heads_.empty() && heads_.back().depth > marks_.size(); heads_.pop_back())
    ended_heads_.erase(heads_.back().name);
}

Expr* Body::name(const ast::Expr* e) {
  Symbol symbol = find(e->name);
  switch (symbol.kind) {
  case Symbol::Variable:
    return useVariable(symbol.variable, e->range);
  case Symbol::Number:
    return number(symbol.number, symbol.type, e->range);
  case Symbol::Callable:
    return fail(Diag::function_as_value, e->range, e->name);
  case Symbol::Reference:
    return seenHere(symbol.place, e->range);
  case Symbol::None:
    break;
  }
  if (sema_.hasFunction(e->name))
    return fail(Diag::function_as_value, e->range, e->name);
  if (e->name.starts_with("atomic_") && isDeviceCall(e->name))
    return fail(Diag::atomic_as_value, e->range, e->name);
  Expr* wrong = unknownName(e);
  Symbol once; // one message for each name
  once.kind = Symbol::Variable;
  once.variable = sema_.arena.make<Variable>(e->name, types_.error, e->range);
  once.variable->side = side_;
  bind(e->name, once);
  return wrong;
}

Expr* Body::unknownName(const ast::Expr* e) {
  if (auto ended = ended_.find(e->name); ended != ended_.end()) {
    const auto& [variable, with] = ended->second;
    if (variable->type->isError()) // which was said
      return error(e->range);
    bool of_thread = std::string_view(with) == "the spawn";
    bool plain = variable->type->isScalar() || variable->type->isVector() || variable->type->isStruct();
    std::string help = of_thread ? "each thread had one of its own: store it in memory, or reduce it to one value"
                       : plain   ? fmt::format("declare it further out: {} {};", typeName(variable->type), e->name)
                                 : std::string("declare it further out");
    Expr* wrong = fail(Diag::name_ended, e->range, e->name, with, help);
    sema_.diag.report(Diag::note_declared, variable->range, e->name);
    return wrong;
  }
  if (e->name == "thread")
    return fail(Diag::thread_as_value, e->range);
  if (const char* help = foreignNameHelp(e->name))
    return fail(Diag::foreign_word, e->range, e->name, help);
  if (std::string file = sema_.includeOf(e->name); !file.empty())
    return fail(Diag::not_included, e->range, e->name, file);
  std::string near = sema_.suggestion(e->name, this);
  if (std::string help = foreignCallHelp(e->name); near.empty() && !help.empty())
    return fail(Diag::foreign_word, e->range, e->name, help);
  return fail(Diag::unknown_name, e->range, e->name, near);
}

// A host variable that device code reads whole, or at a place that is found at run time. A primitive that returns its result does
// not read it: its caller may.
bool Body::capturesTooMuch(const Variable* v) const {
  bool captured = onDevice() && !fn_.isInternal() && v->side == Side::Host && v->kind != Variable::Constant &&
                  v->kind != Variable::Shared;
  return captured && !unevaluated_ && hasArray(v->type) && scalarCount(v->type) > kMostCaptured;
}

Expr* Body::useVariable(Variable* v, SourceRange range) {
  if (v->type->isError())
    return error(range);
  bool is_local = v->kind == Variable::Local || v->kind == Variable::Shared;
  if (!unevaluated_ && !onDevice() && in_spawn_ && v->side == Side::Device && is_local) {
    Diag what = v->kind == Variable::Shared ? Diag::shared_on_host : Diag::thread_variable_on_host;
    Expr* e = fail(what, range, v->name);
    sema_.diag.report(Diag::note_declared, v->range, v->name);
    return e;
  }
  if (!v->type->holds_lists && capturesTooMuch(v)) // of lists, those that are named become parameters
    return fail(Diag::host_array_on_device, range, v->name, typeName(v->type), kMostCaptured);
  Expr* e = sema_.make(Expr::Var, v->type, range);
  e->variable = v;
  ConstValue known; // a constant of the host is one in device code, no parameter
  if (onDevice() && v->side == Side::Host && v->kind == Variable::Local && v->type->isScalar() &&
      Sema::constantValue(e, known)) {
    e->kind = Expr::Constant; // which keeps its variable, for messages
    e->value = known;
  }
  return e;
}

} // namespace bsgp::sema
