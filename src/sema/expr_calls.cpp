// Calls, constructions, initializers and casts.
#include <algorithm>
#include <cctype>
#include <ranges>

#include <fmt/format.h>

#include "sema/arguments.h"
#include "sema/checker.h"
#include "sema/foreign_functions.h"
#include "sema/tree_walk.h"
#include "sema/warnings.h"

namespace bsgp::sema {

bool Body::asCallable(const ast::Expr* e, Callable& out) {
  out = {};
  out.scope = scope_;
  if (e->kind == ast::Expr::OperatorRef) {
    out.name = ast::spelling(e->binary), out.is_operator = true, out.op = e->binary;
    return true;
  }
  if (e->kind == ast::Expr::Lambda) {
    out = lambda(e);
    return true;
  }
  if (e->kind != ast::Expr::Name)
    return false;
  Symbol symbol = find(e->name);
  if (symbol.kind == Symbol::Callable) {
    out = again(symbol.callable);
    return true;
  }
  out.name = e->name;
  return symbol.kind == Symbol::None && sema_.hasFunction(e->name);
}

std::vector<Argument> Body::arguments(std::span<ast::Expr*> list) {
  std::vector<Argument> out;
  for (ast::Expr* e : list)
    out.push_back(argument(e));
  return out;
}

Argument Body::argument(const ast::Expr* e) {
  Argument argument;
  argument.range = e->range;
  argument.is_callable = asCallable(e, argument.callable);
  if (!argument.is_callable)
    argument.value = expr(e);
  return argument;
}

Expr* Body::call(const ast::Expr* e) {
  const ast::Expr* callee = e->a;
  if (callee->kind == ast::Expr::Thread)
    return threadCall(e);
  if (isMethodCall(*e))
    return methodCall(e);
  if (callee->kind == ast::Expr::Block)
    return blockCall(e);
  if (callee->kind == ast::Expr::Warp)
    return warpCall(e);
  if (callee->kind == ast::Expr::Lambda)
    return fail(Diag::lambda_as_value, callee->range);
  if (callee->kind != ast::Expr::Name)
    return fail(Diag::not_callable, callee->range, "this", "");
  Symbol symbol = find(callee->name);
  if (symbol.kind == Symbol::Callable) {
    if (!symbol.callable.captured.empty())
      return callLambda(symbol.callable, arguments(e->args), e->range);
    if (!symbol.callable.is_operator)
      return callNamed(symbol.callable.name, e, symbol.callable.scope);
    if (e->args.size() != 2)
      return fail(Diag::argument_count, e->range, symbol.callable.name, 2, e->args.size());
    Expr* left = rvalue(e->args[0]);
    return binaryOn(symbol.callable.op, left, rvalue(e->args[1]), e->range);
  }
  if (symbol.variable && symbol.variable->type->isError()) // which was said
    return error(e->range);
  if (symbol.kind != Symbol::None)
    return fail(Diag::not_callable, callee->range, fmt::format("'{}'", callee->name), elementHelp(e, symbol.type));
  return callNamed(callee->name, e, scope_);
}

// u(y, x) of an array, as in Fortran and MATLAB.
std::string Body::elementHelp(const ast::Expr* call, const Type* type) const {
  size_t wanted = !type                                                     ? 0
                  : type->isView()                                          ? type->count
                  : type->isPointer() || type->isArray() || type->isDList() ? 1
                                                                            : 0;
  if (wanted == 0 || call->args.size() != wanted)
    return sema_.hasFunction(call->a->name)
               ? fmt::format("the variable '{0}' hides the function '{0}': give it another name", call->a->name)
               : "";
  SourceRange inside{call->args.front()->range.begin, call->args.back()->range.end};
  return fmt::format("write {}[{}]", call->a->name, sourceText(inside));
}

Expr* Body::callNamed(std::string_view name, const ast::Expr* e, Scope scope) {
  if (const Type* type = sema_.typeNamed(name, scope)) {
    std::vector<Expr*> args;
    for (ast::Expr* arg : e->args)
      args.push_back(rvalue(arg));
    return constructType(type, args, e->range);
  }
  if (!sema_.hasFunction(name, scope)) {
    if (Expr* made = builtin(name, e))
      return made;
    if (!foreignCallHelp(name).empty()) { // its arguments are as foreign
      sema_.reportUnknownFunction(name, e->range, *this);
      return error(e->range);
    }
  }
  return callFrom(scope, name, arguments(e->args), e->range, isUsed(e));
}

// A function of the library that makes a number of numbers which the host has: the host can compute it, too.
bool Body::computesFromHost(const Function& function, std::span<Expr* const> values) const {
  const ast::Function* node = sema_.declarationOf(function);
  auto is_number = [](const Type* type) { return type->isScalar() || type->isVector(); };
  return node && sema_.isMath(*node) && is_number(function.result) &&
         std::all_of(function.params.begin(), function.params.end(),
                     [](const Variable* p) { return !p->by_reference; }) &&
         std::all_of(values.begin(), values.end(),
                     [&](const Expr* value) { return is_number(value->type) && isHostValued(value); });
}

// Without the braces around them, and without loops of no rounds.
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
  if (!returned || !Sema::constantValue(returned, value))
    return std::nullopt;
  const ast::Function* node = sema.declarationOf(function);
  return node && sema.traits(*node).synchronizes ? std::optional(value) : std::nullopt;
}

Expr* Body::callFrom(Scope scope, std::string_view name, std::vector<Argument> arguments, SourceRange range,
                     bool used) {
  for (Argument& argument : arguments)
    if (argument.value && argument.value->type->isError())
      return error(range);
  auto [function, on_device_memory] = sema_.select(name, arguments, range, *this, used, scope);
  if (!function || !checkSums(*function, range))
    return error(range);
  if (warns())
    warnOfMixedExtremes(*function, arguments, range, sema_);
  std::vector<Expr*> values;
  size_t next = 0;
  for (Argument& argument : arguments) {
    if (argument.is_callable) {
      next += passCaptured(argument.callable, values);
      continue;
    }
    if (next >= function->params.size()) { // variadic part: C's promotions
      Expr* value = decay(argument.value);
      if (!value->type->isScalar() && !value->type->isPointer() && value->type->kind != TypeKind::Null)
        return fail(Diag::bad_extern_type, argument.range, typeName(value->type));
      const Type* type = value->type->isFloat()    ? types_.f64
                         : value->type->isScalar() ? sema_.promoted(value->type)
                                                   : value->type;
      values.push_back(value->type->isScalar() ? cast(value, type) : value);
      continue;
    }
    Variable* param = function->params[next++];
    if (param->type->isError())
      return error(range);
    if (on_device_memory && isOpenPointer(argument)) {
      values.push_back(argument.value);
      continue;
    }
    if (!param->by_reference) {
      values.push_back(convert(decay(argument.value), param->type, "this argument"));
      continue;
    }
    const Type* given = argument.value->type;
    if (!param->is_const && !given->isDList() && !requireLvalue(argument.value, kReferenceParameter))
      return error(range);
    bool checked = !given->holds_lists || isConst(argument.value);
    if (!param->is_const && checked && !checkWritable(argument.value, argument.range))
      return error(range);
    if (argument.value->kind == Expr::Swizzle && argument.value->lane_count > 1)
      return fail(Diag::no_address, argument.range, kIntoVariable);
    if (const Variable* root = rootVariable(argument.value); root && side_ == Side::Host)
      const_cast<Variable*>(root)->address_taken = true;
    values.push_back(argument.value);
  }
  for (Expr* value : values)
    if (value->type->isError())
      return value;
  Expr* r = sema_.make(Expr::Call, function->result, range);
  r->function = function;
  r->args = sema_.keep(values);
  if (on_device_memory)
    sema_.open_calls.push_back({r, on_device_memory, openPointerOf(arguments)});
  if (unevaluated_)
    return function->result->isError() ? error(range) : r;
  if (function->syncs_block)
    sawBlockSync();
  if (function->syncs_warp)
    sawWarpSync();
  bool repeatable = onDevice() && used && std::all_of(values.begin(), values.end(), isRepeatable);
  if (std::optional<ConstValue> known = repeatable ? constantResult(sema_, *function) : std::nullopt) {
    Expr* constant = sema_.make(Expr::Constant, function->result, range);
    constant->value = *known;
    return constant;
  }
  if (onDevice() && computesFromHost(*function, values)) {
    Side device = std::exchange(side_, Side::Host);
    r->on_host = sema_.select(name, arguments, range, *this, used, scope).function;
    side_ = device;
  }
  if (function->collective)
    placeCall(*function, arguments, range);
  return function->result->isError() ? error(range) : r;
}

// One that only gets and puts may stand in a thread's own control flow, as a statement.
void Body::placeCall(const Function& function, const std::vector<Argument>& arguments, SourceRange range) {
  bool exchanges = !function.synchronizes && !function.host_result;
  if (!exchanges || std::any_of(enclosing_.begin(), enclosing_.end(), [](const Enclosing& around) {
        return around.inExpression() || around.tests || around.isAsm();
      }))
    placeCollective(exchanges ? kCallThatGets : "a collective call", range,
                    enclosing_.empty() ? std::vector<std::string>{} : insteadOf(function, arguments));
  exchanges ? sawExchange() : sawCollective();
}

// s.f(...), p->f(...): S.f with s as its first argument.
Expr* Body::methodCall(const ast::Expr* e) {
  Expr* object = e->a->kind == ast::Expr::Arrow ? pointee(e->a) : expr(e->a->a);
  if (object->type->isError())
    return object;
  if (!object->type->isStruct())
    return dlistMethod(object, e);
  std::string full = methodName(object->type, e->a->name);
  if (!sema_.hasFunction(full)) {
    std::string known = sema_.methodsOf(object->type);
    return fail(Diag::no_method, e->range, typeName(object->type), e->a->name,
                sema_.fieldSuggestion(object->type, e->a->name),
                known.empty() ? "a function f on a value a is called f(a)" : "its functions are " + known);
  }
  std::vector<Expr*> first;
  if (!isLvalue(object) && !object->type->holds_lists &&
      sema_.writesThis(full, object->type)) { // into a variable that is then gone
    first.push_back(keptLocal("this", object));
    object = useVariable(first.back()->a->variable, object->range);
  }
  std::vector<Argument> given{{object, false, {}, object->range}};
  std::vector<Argument> others = arguments(e->args);
  given.insert(given.end(), others.begin(), others.end());
  return behind(first, callWith(sema_.arena.copy(full), given, e->range, isUsed(e)));
}

Expr* Body::construct(const ast::Expr* e) {
  const Type* type = sema_.resolve(e->type, this);
  std::vector<Expr*> args;
  for (ast::Expr* arg : e->args)
    args.push_back(rvalue(arg));
  return constructType(type, args, e->range);
}

// float3(1, 2, 3); float4(v.xyz, 1); float3(0); int(x); S(a, b)
namespace {

// The call of the library that makes a struct where it is given other values than its fields: random(3) for Random(3).
std::string makerOf(const Sema& sema, const Type* type, size_t count, std::string_view given) {
  std::string name(type->structure->name);
  std::ranges::transform(name, name.begin(), [](unsigned char c) { return char(std::tolower(c)); });
  bool is_made = false;
  for (const ast::Function* maker : sema.overloads(name, Scope::Program)) {
    bool makes = maker->result && maker->result->name == type->structure->name;
    if (makes && ast::takes(*maker, count))
      return fmt::format("{}({})", name, given);
    is_made |= makes;
  }
  return is_made ? name + "(...)" : "";
}

} // namespace

Expr* Body::constructType(const Type* type, std::vector<Expr*> args, SourceRange range) {
  if (type->isError())
    return error(range);
  for (Expr* arg : args)
    if (arg->type->isError())
      return arg;
  if (type->holds_lists && onDevice())
    return fail(Diag::list_on_device, range, "this value", typeWithArticle(type));
  if (args.empty())
    return zero(type, range);
  if (!type->isVector() && !type->isStruct())
    return args.size() == 1 ? castTo(args[0], type, range)
                            : fail(Diag::argument_count, range, typeName(type), 1, args.size());
  if (args.size() == 1 &&
      (type->isVector() ? args[0]->type->isScalar() || args[0]->type->isVector() : sema_.sameType(args[0]->type, type)))
    return castTo(args[0], type, range);
  Expr* r = sema_.make(Expr::Construct, type, range);
  std::vector<Expr*> parts;
  if (type->isStruct()) {
    const auto& fields = type->structure->fields;
    std::string maker;
    if (args.size() != fields.size())
      maker = makerOf(sema_, type, args.size(), sourceText({args.front()->range.begin, args.back()->range.end}));
    if (!maker.empty())
      return fail(Diag::made_by_function, range, typeWithArticle(type), maker);
    if (args.size() != fields.size())
      return fail(Diag::argument_count, range, typeName(type), fields.size(), args.size());
    for (size_t i = 0; i < args.size(); ++i)
      parts.push_back(convert(args[i], fields[i].type, "this field"));
  } else {
    uint64_t lanes = 0;
    for (Expr* arg : args) {
      lanes += arg->type->isVector() ? arg->type->count : 1;
      parts.push_back(arg->type->isVector() ? cast(arg, types_.vector(type->element, unsigned(arg->type->count)))
                                            : convert(arg, type->element, "this component"));
    }
    if (lanes != type->count)
      return fail(Diag::argument_count, range, typeName(type), type->count, lanes);
  }
  for (Expr* part : parts)
    if (part->type->isError())
      return part;
  r->args = sema_.keep(parts);
  return r;
}

Expr* Body::zero(const Type* type, SourceRange range) {
  if (type->isScalar())
    return number(0, type, range);
  if (type->isPointer())
    return sema_.make(Expr::Null, type, range);
  Expr* r = sema_.make(Expr::Construct, type, range);
  std::vector<Expr*> parts;
  if (type->isDList())
    return r;
  if (type->isStruct())
    for (size_t i = 0; i < type->structure->fields.size(); ++i)
      parts.push_back(zeroField(type, i, range));
  else if (type->count <= 65536)
    for (uint64_t i = 0; i < type->count; ++i)
      parts.push_back(zero(type->element, range));
  else
    return fail(Diag::init_too_long, range, typeName(type));
  r->args = sema_.keep(parts);
  return r;
}

// Or the value that the struct gives it.
Expr* Body::zeroField(const Type* structure, size_t field, SourceRange range) {
  const Expr* given = sema_.fieldValue(structure, field);
  return given ? sema_.copyOf(given) : zero(structure->structure->fields[field].type, range);
}

Expr* Body::initializer(const ast::Expr* init, const Type* type) {
  if (type->isArray() && init->kind == ast::Expr::StringLit && type->element->isInt() && type->element->bits == 8) {
    if (init->name.size() > type->count)
      return fail(Diag::init_too_long, init->range, typeName(type));
    Expr* r = sema_.make(Expr::Construct, type, init->range);
    std::vector<Expr*> parts;
    for (uint64_t i = 0; i < type->count; ++i)
      parts.push_back(number(i < init->name.size() ? init->name[i] : 0, type->element, init->range));
    r->args = sema_.keep(parts);
    return r;
  }
  if (init->kind == ast::Expr::InitList)
    return initList(init, type);
  Expr* value = expr(init);
  if (type->isArray() && !value->type->isError())
    return fail(Diag::cannot_convert, init->range, "this initializer", typeName(value->type), typeName(type), "");
  return convert(decay(value), type, "this initializer");
}

Expr* Body::initList(const ast::Expr* list, const Type* type) {
  if (type->isError())
    return error(list->range);
  if (type->isScalar() || type->isPointer()) {
    if (list->args.size() > 1)
      return fail(Diag::init_too_long, list->range, typeName(type));
    return list->args.empty() ? zero(type, list->range) : initializer(list->args[0], type);
  }
  if (type->isDList())
    return listOf(list, type);
  if (!type->isArray() && !type->isVector() && !type->isStruct())
    return fail(Diag::init_list_here, list->range);
  size_t room = type->isStruct() ? type->structure->fields.size() : type->count;
  if (list->args.size() > room)
    return fail(Diag::init_too_long, list->range, typeName(type));
  if (room > 65536 && list->args.size() < room)
    return fail(Diag::init_too_long, list->range, typeName(type));
  std::vector<Expr*> parts;
  for (size_t i = 0; i < room; ++i) {
    const Type* part = type->isStruct() ? type->structure->fields[i].type : type->element;
    parts.push_back(i < list->args.size() ? initializer(list->args[i], part)
                    : type->isStruct()    ? zeroField(type, i, list->range)
                                          : zero(part, list->range));
    if (parts.back()->type->isError())
      return parts.back();
  }
  Expr* r = sema_.make(Expr::Construct, type, list->range);
  r->args = sema_.keep(parts);
  return r;
}

Expr* Body::explicitCast(const ast::Expr* e) {
  Expr* value = decay(expr(e->a));
  if (value->type->isError())
    return value;
  SpaceCell* space = value->type->isPointer() ? value->type->space : nullptr;
  const Type* type = sema_.resolve(e->type, this, space);
  if (type->isVoid()) {
    Expr* r = sema_.make(Expr::Comma, types_.void_, e->range);
    r->a = value, r->b = sema_.make(Expr::Construct, types_.void_, e->range); // of nothing
    return value->type->isVoid() ? value : r;
  }
  return castTo(value, type, e->range);
}

namespace {

// The const variable that a pointer to const is made of; null: none that is known.
const Variable* constBehind(const Expr* pointer) {
  switch (pointer->kind) {
  case Expr::AddrOf:
  case Expr::Decay: {
    const Variable* root = rootVariable(pointer->a);
    return root && root->is_const && !root->by_reference ? root : nullptr;
  }
  case Expr::Cast:
  case Expr::PtrAdd:
    return pointer->a->type->isPointer() ? constBehind(pointer->a) : nullptr;
  case Expr::Conditional: {
    const Variable* one = constBehind(pointer->b);
    return one ? one : constBehind(pointer->c);
  }
  default:
    return nullptr;
  }
}

} // namespace

Expr* Body::castTo(Expr* value, const Type* to, SourceRange range) {
  const Type* from = value->type;
  if (from->isError() || to->isError())
    return error(range);
  if (from->holds_lists && to->holds_lists)
    return noListValue(value, "a cast");
  if (to->isBool() && (from->isPointer() || from->isScalar()))
    return toBool(value);
  if (from->isScalar() && (to->isScalar() || to->isVector()))
    return cast(value, to);
  if (from->isVector() && to->isVector() && from->count == to->count)
    return cast(value, to);
  if (to->isView() && from->isView() && from->count == to->count && sema_.sameType(from->element, to->element)) {
    Expr* same = sema_.make(Expr::Cast, to, range);
    same->a = value;
    return unify(from, to, range) ? same : error(range);
  }
  if (to->isPointer() && from->kind == TypeKind::Null)
    return sema_.make(Expr::Null, to, range);
  if (to->isPointer() && (from->isPointer() || (from->isInt() && from->bits == 64) || value->kind == Expr::Constant)) {
    if (from->isPointer() &&
        !unify(types_.pointer(types_.void_, from->space), types_.pointer(types_.void_, to->space), range))
      return error(range);
    if (sema_.sameType(from, to))
      return value;
    if (const Variable* table = from->to_const && !to->to_const ? constBehind(value) : nullptr)
      return fail(Diag::const_cast_away, range, table->name, typeWithArticle(to), typeWithArticle(from));
    if (from->isPointer()) {
      useAddress(AddressUse::AsOtherType, from, range);
      useAddress(AddressUse::AsOtherType, to, range);
    } else {
      useAddress(AddressUse::FromNumber, to, range);
    }
    Expr* r = sema_.make(Expr::Cast, to, range);
    r->a = from->isInt() ? cast(value, types_.i64) : value;
    return r;
  }
  if (to->isInt() && to->bits == 64 && from->isPointer()) {
    useAddress(AddressUse::AsNumber, from, range);
    Expr* r = sema_.make(Expr::Cast, to, range);
    r->a = value;
    return r;
  }
  if (sema_.sameType(from, to))
    return value;
  return fail(Diag::cannot_convert, range, "this cast", typeName(from), typeName(to), "");
}

} // namespace bsgp::sema
