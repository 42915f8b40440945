#include "sema/expr_construct.h"

#include <algorithm>
#include <ranges>

#include <fmt/format.h>

#include "sema/addresses.h"
#include "sema/body.h"
#include "sema/constant.h"
#include "sema/convert.h"
#include "sema/expr_names.h"
#include "sema/expressions.h"
#include "sema/field_values.h"
#include "sema/lists.h"
#include "sema/misplaced.h"
#include "sema/name_scopes.h"
#include "sema/resolve_type.h"

namespace bsgp::sema {

static Expr* zeroField(Body& body, const Type* structure, size_t field, SourceRange range);
static Expr* initList(Body& body, const ast::Expr* list, const Type* type);

Expr* construct(Body& body, const ast::Expr* e) {
  const Type* type = resolve(body.sema, e->type, &body);
  std::vector<Expr*> args;
  for (ast::Expr* arg : e->args)
    args.push_back(rvalue(body, arg));
  return constructType(body, type, args, e->range);
}

// float3(1, 2, 3); float4(v.xyz, 1); float3(0); int(x); S(a, b)
namespace {

// The call of the library that makes a struct where it is given other values than its fields: random(3) for Random(3).
std::string makerOf(const Sema& sema, const Type* type, size_t count, std::string_view given) {
  std::string name(type->structure->name);
  std::ranges::transform(name, name.begin(), [](unsigned char c) { return char(std::tolower(c)); });
  bool is_made = false;
  for (const ast::Function* maker : overloads(sema, name, Scope::Program)) {
    bool makes = maker->result && maker->result->name == type->structure->name;
    if (makes && ast::takes(*maker, count))
      return fmt::format("{}({})", name, given);
    is_made |= makes;
  }
  return is_made ? name + "(...)" : "";
}

} // namespace

Expr* constructType(Body& body, const Type* type, std::vector<Expr*> args, SourceRange range) {
  if (type->isError())
    return error(body, range);
  for (Expr* arg : args)
    if (arg->type->isError())
      return arg;
  if (type->holds_lists && onDevice(body))
    return fail(body, Diag::list_on_device, range, "this value", typeWithArticle(type));
  if (args.empty())
    return zero(body, type, range);
  if (!type->isVector() && !type->isStruct())
    return args.size() == 1 ? castTo(body, args[0], type, range)
                            : fail(body, Diag::argument_count, range, typeName(type), 1, args.size());
  if (args.size() == 1 &&
      (type->isVector() ? args[0]->type->isScalar() || args[0]->type->isVector() : sameType(args[0]->type, type)))
    return castTo(body, args[0], type, range);
  Expr* r = body.sema.nodes.make(Expr::Construct, type, range);
  std::vector<Expr*> parts;
  if (type->isStruct()) {
    const auto& fields = type->structure->fields;
    std::string maker;
    if (args.size() != fields.size())
      maker =
          makerOf(body.sema, type, args.size(), sourceText(body, {args.front()->range.begin, args.back()->range.end}));
    if (!maker.empty())
      return fail(body, Diag::made_by_function, range, typeWithArticle(type), maker);
    if (args.size() != fields.size())
      return fail(body, Diag::argument_count, range, typeName(type), fields.size(), args.size());
    for (size_t i = 0; i < args.size(); ++i)
      parts.push_back(convert(body, args[i], fields[i].type, "this field"));
  } else {
    uint64_t lanes = 0;
    for (Expr* arg : args) {
      lanes += arg->type->isVector() ? arg->type->count : 1;
      parts.push_back(arg->type->isVector()
                          ? cast(body, arg, body.sema.types.vector(type->element, unsigned(arg->type->count)))
                          : convert(body, arg, type->element, "this component"));
    }
    if (lanes != type->count)
      return fail(body, Diag::argument_count, range, typeName(type), type->count, lanes);
  }
  for (Expr* part : parts)
    if (part->type->isError())
      return part;
  r->args = body.sema.nodes.keep(parts);
  return r;
}

Expr* zero(Body& body, const Type* type, SourceRange range) {
  if (type->isScalar())
    return number(body, 0, type, range);
  if (type->isPointer())
    return body.sema.nodes.make(Expr::Null, type, range);
  Expr* r = body.sema.nodes.make(Expr::Construct, type, range);
  std::vector<Expr*> parts;
  if (type->isDList())
    return r;
  if (type->isStruct())
    for (size_t i = 0; i < type->structure->fields.size(); ++i)
      parts.push_back(zeroField(body, type, i, range));
  else if (type->count <= 65536)
    for (uint64_t i = 0; i < type->count; ++i)
      parts.push_back(zero(body, type->element, range));
  else
    return fail(body, Diag::init_too_long, range, typeName(type));
  r->args = body.sema.nodes.keep(parts);
  return r;
}

// Or the value that the struct gives it.
static Expr* zeroField(Body& body, const Type* structure, size_t field, SourceRange range) {
  const Expr* given = fieldValue(body.sema, structure, field);
  return given ? body.sema.nodes.copyOf(given) : zero(body, structure->structure->fields[field].type, range);
}

// int b[2] = a;
static std::string helpForArray(const Body& body, const Expr& value, const Type* type, SourceRange range) {
  std::string text = sourceText(body, range);
  if (ConstValue known; value.type->isInt() && constantValue(&value, known) && known.integer == 0)
    return fmt::format("the values of an array stand in braces of their own: {{{}}}; where all are 0, {{}} is enough",
                       text);
  if (value.type->isScalar())
    return fmt::format("the values of an array stand in braces of their own: {{{}}}", text);
  if (!value.type->element || !sameType(value.type->element, type->element))
    return "";
  return onDevice(body)
             ? fmt::format("declare it without a value, and copy the elements: for (int i = 0; i < {}; i++) "
                           "to[i] = {}[i];",
                           type->count, text)
             : fmt::format("declare it without a value, and copy the elements: copy(to, {}, {});", text, type->count);
}

Expr* initializer(Body& body, const ast::Expr* init, const Type* type) {
  if (type->isArray() && init->kind == ast::Expr::StringLit && type->element->isInt() && type->element->bits == 8) {
    if (init->name.size() > type->count)
      return fail(body, Diag::init_too_long, init->range, typeName(type));
    Expr* r = body.sema.nodes.make(Expr::Construct, type, init->range);
    std::vector<Expr*> parts;
    for (uint64_t i = 0; i < type->count; ++i)
      parts.push_back(number(body, i < init->name.size() ? init->name[i] : 0, type->element, init->range));
    r->args = body.sema.nodes.keep(parts);
    return r;
  }
  if (init->kind == ast::Expr::InitList)
    return initList(body, init, type);
  Expr* value = expr(body, init);
  if (type->isArray() && !value->type->isError())
    return fail(body, Diag::cannot_convert, init->range, "this initializer", typeName(value->type), typeName(type),
                helpForArray(body, *value, type, init->range));
  return convert(body, decay(body, value), type, "this initializer");
}

namespace {

// The values from `next` on as they stand in braces for the type: {{1, 2}, {3, 4}} for an int[2][2] of 1, 2, 3, 4. `next` goes
// behind those that are taken.
std::string inBraces(const Body& body, std::span<ast::Expr* const> values, const Type* type, size_t& next) {
  bool has_parts = type->isArray() || type->isVector() || type->isStruct();
  if (!has_parts || values[next]->kind == ast::Expr::StringLit)
    return sourceText(body, values[next++]->range);
  size_t room = type->isStruct() ? type->structure->fields.size() : type->count;
  std::string text;
  for (size_t i = 0; i < room && next < values.size(); ++i) {
    const Type* part = type->isStruct() ? type->structure->fields[i].type : type->element;
    text += (text.empty() ? "" : ", ") + inBraces(body, values, part, next);
  }
  return "{" + text + "}";
}

// int a[2][2] = {1, 2, 3, 4} leaves inner braces out, as C lets it.
Expr* tooManyValues(Body& body, const ast::Expr* list, const Type* type) {
  constexpr size_t kFew = 16;
  Diagnostics::Mark before = body.sema.diag.mark();
  Expr* wrong = fail(body, Diag::init_too_long, list->range, typeName(type));
  auto isList = [](const ast::Expr* value) { return value->kind == ast::Expr::InitList; };
  if (list->args.size() > kFew || std::ranges::any_of(list->args, isList))
    return wrong;
  size_t next = 0;
  std::string braces = inBraces(body, list->args, type, next);
  for (Diagnostic& message : body.sema.diag.takeSince(before)) {
    if (next == list->args.size() && message.kind == Diag::init_too_long)
      message.help = fmt::format("each part has braces of its own: write {}", braces);
    body.sema.diag.put(std::move(message));
  }
  return wrong;
}

// float2 p[2] = {1, 2}: two vectors, (1, 1) and (2, 2).
void warnOfFilledVectors(Body& body, const ast::Expr* list, const Type* type) {
  auto isNumber = [](const ast::Expr* value) {
    return value->kind == ast::Expr::IntLit || value->kind == ast::Expr::FloatLit;
  };
  auto isZero = [](const ast::Expr* value) { return value->integer == 0 && value->floating == 0; };
  bool numbers = warns(body) && type->isArray() && type->element->isVector() && list->args.size() > 1 &&
                 std::ranges::all_of(list->args, isNumber) && !std::ranges::all_of(list->args, isZero);
  if (!numbers)
    return;
  size_t next = 0;
  std::string element = typeName(type->element), braces = inBraces(body, list->args, type, next);
  body.sema.warnings.report(Diag::filled_vectors, list->range, element,
                            fmt::format("{}; or {}({}) where one number is meant for all", braces, element,
                                        sourceText(body, list->args[0]->range)));
}

} // namespace

static Expr* initList(Body& body, const ast::Expr* list, const Type* type) {
  if (type->isError())
    return error(body, list->range);
  if (type->isScalar() || type->isPointer()) {
    if (list->args.size() > 1)
      return fail(body, Diag::init_too_long, list->range, typeName(type));
    return list->args.empty() ? zero(body, type, list->range) : initializer(body, list->args[0], type);
  }
  if (type->isDList())
    return listOf(body, list, type);
  if (!type->isArray() && !type->isVector() && !type->isStruct())
    return fail(body, Diag::init_list_here, list->range, kIntoDeclaration);
  size_t room = type->isStruct() ? type->structure->fields.size() : type->count;
  if (list->args.size() > room)
    return tooManyValues(body, list, type);
  if (room > 65536 && list->args.size() < room)
    return fail(body, Diag::init_too_long, list->range, typeName(type));
  warnOfFilledVectors(body, list, type);
  std::vector<Expr*> parts;
  for (size_t i = 0; i < room; ++i) {
    const Type* part = type->isStruct() ? type->structure->fields[i].type : type->element;
    parts.push_back(i < list->args.size() ? initializer(body, list->args[i], part)
                    : type->isStruct()    ? zeroField(body, type, i, list->range)
                                          : zero(body, part, list->range));
    if (parts.back()->type->isError())
      return parts.back();
  }
  Expr* r = body.sema.nodes.make(Expr::Construct, type, list->range);
  r->args = body.sema.nodes.keep(parts);
  return r;
}

Expr* explicitCast(Body& body, const ast::Expr* e) {
  Expr* value = decay(body, expr(body, e->a));
  if (value->type->isError())
    return value;
  SpaceCell* space = value->type->isPointer() ? value->type->space : nullptr;
  const Type* type = resolve(body.sema, e->type, &body, space);
  if (type->isVoid()) {
    Expr* r = body.sema.nodes.make(Expr::Comma, body.sema.types.void_, e->range);
    r->a = value, r->b = body.sema.nodes.make(Expr::Construct, body.sema.types.void_, e->range); // of nothing
    return value->type->isVoid() ? value : r;
  }
  return castTo(body, value, type, e->range);
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

Expr* castTo(Body& body, Expr* value, const Type* to, SourceRange range) {
  const Type* from = value->type;
  if (from->isError() || to->isError())
    return error(body, range);
  if (from->holds_lists && to->holds_lists)
    return noListValue(body, value, "a cast");
  if (to->isBool() && (from->isPointer() || from->isScalar()))
    return toBool(body, value);
  if (from->isScalar() && (to->isScalar() || to->isVector()))
    return cast(body, value, to);
  if (from->isVector() && to->isVector() && from->count == to->count)
    return cast(body, value, to);
  if (to->isView() && from->isView() && from->count == to->count && sameType(from->element, to->element)) {
    Expr* same = body.sema.nodes.make(Expr::Cast, to, range);
    same->a = value;
    return unify(body, from, to, range) ? same : error(body, range);
  }
  if (to->isPointer() && from->kind == TypeKind::Null)
    return body.sema.nodes.make(Expr::Null, to, range);
  if (to->isPointer() && (from->isPointer() || (from->isInt() && from->bits == 64) || value->kind == Expr::Constant)) {
    if (from->isPointer() && !unify(body, body.sema.types.pointer(body.sema.types.void_, from->space),
                                    body.sema.types.pointer(body.sema.types.void_, to->space), range))
      return error(body, range);
    if (sameType(from, to))
      return value;
    if (const Variable* table = from->to_const && !to->to_const ? constBehind(value) : nullptr)
      return fail(body, Diag::const_cast_away, range, table->name, typeWithArticle(to), typeWithArticle(from));
    if (from->isPointer()) {
      useAddress(body, AddressUse::AsOtherType, from, range);
      useAddress(body, AddressUse::AsOtherType, to, range);
    } else {
      useAddress(body, AddressUse::FromNumber, to, range);
    }
    Expr* r = body.sema.nodes.make(Expr::Cast, to, range);
    r->a = from->isInt() ? cast(body, value, body.sema.types.i64) : value;
    return r;
  }
  if (to->isInt() && to->bits == 64 && from->isPointer()) {
    useAddress(body, AddressUse::AsNumber, from, range);
    Expr* r = body.sema.nodes.make(Expr::Cast, to, range);
    r->a = value;
    return r;
  }
  if (sameType(from, to))
    return value;
  return fail(body, Diag::cannot_convert, range, "this cast", typeName(from), typeName(to), "");
}

} // namespace bsgp::sema
