#include "sema/expr_access.h"

#include <fmt/format.h>

#include "sema/addresses.h"
#include "sema/arguments.h"
#include "sema/body.h"
#include "sema/constant.h"
#include "sema/convert.h"
#include "sema/expr_names.h"
#include "sema/expr_operators.h"
#include "sema/expressions.h"
#include "sema/lists.h"
#include "sema/misplaced.h"
#include "sema/name_scopes.h"
#include "sema/scopes.h"
#include "sema/suggest.h"
#include "sema/views.h"

namespace bsgp::sema {

static Expr* memberOf(Body& body, Expr* base, std::string_view name, SourceRange range);
static Expr* swizzle(Body& body, Expr* base, std::string_view name, SourceRange range);

// Reports host memory that device code would read. The host can hand over one element: `at` is its index, or null.
static void reportHostMemory(Body& body, const Expr* pointer, const Expr* at, SourceRange range) {
  Diagnostics& diag = body.sema.diag;
  Diagnostics::Mark before = diag.mark();
  diag.report(Diag::host_pointer_on_device, range, typeWithArticle(pointer->type));
  bool one_for_all = at && body.mode.in_spawn && isHostValued(at) && isHostValued(pointer);
  for (Diagnostic& message : diag.takeSince(before)) {
    if (one_for_all)
      message.help += fmt::format("; one element for all threads is a host value: require {} = {};",
                                  nameFor(body, range.end), sourceText(body, range));
    diag.put(std::move(message));
  }
}

void noteField(Body& body, const Expr& field) {
  const StructInfo& structure = *field.a->type->structure;
  std::string_view name = structure.fields[field.index].name;
  for (const ast::Struct* node : body.sema.structs.declared)
    if (node->name == structure.name)
      for (const ast::Declarator& d : node->fields)
        if (d.name == name)
          body.sema.diag.report(Diag::note_declared, d.range, name);
}

static void tellOfDeviceField(Body& body, const Expr& field) {
  body.sema.diag.report(Diag::note_space, field.range, "a field is a device pointer unless its type says 'host'");
  noteField(body, field);
}

// Handles a dereference in host or device code: decides an open space, refuses a wrong one.
void touchMemory(Body& body, Expr* pointer, SourceRange range, const Expr* at) {
  if (body.mode.unevaluated)
    return;
  if (pointer->type->element->holds_lists)
    body.sema.diag.report(Diag::lists_inside, range, "what a pointer points to", typeName(pointer->type->element));
  useAddress(body, AddressUse::InMemory, pointer->type, range);
  SpaceCell* cell = pointer->type->space->root();
  if (cell->space == Space::Unknown) {
    decide(body.sema, cell, onDevice(body) ? Space::Device : Space::Host, range,
           onDevice(body) ? "it is read or written by device code here, so it is a device pointer"
                          : "it is read or written by host code here, so it is a host pointer");
    return;
  }
  bool wrong = onDevice(body) ? cell->space == Space::Host : cell->space != Space::Host;
  if (!wrong)
    return;
  if (onDevice(body))
    reportHostMemory(body, pointer, at, range);
  else
    body.sema.diag.report(Diag::device_pointer_on_host, range, typeWithArticle(pointer->type));
  const Variable* root = rootVariable(pointer);
  if (cell->why.valid())
    body.sema.diag.report(Diag::note_space, cell->why, cell->reason);
  else if (pointer->kind == Expr::Field && !pointer->a->type->isView() && cell->space == Space::Device)
    tellOfDeviceField(body, *pointer);
  else if (root && root->range.valid())
    body.sema.diag.report(Diag::note_declared, root->range, root->name);
}

Expr* index(Body& body, const ast::Expr* e) {
  if (!e->args.empty())
    return severalIndices(body, e);
  const Symbol named = e->a->kind == ast::Expr::Name ? find(body, e->a->name) : Symbol{};
  if (named.kind == Symbol::Variable && named.variable->type->isArray() && !named.variable->type->holds_lists &&
      capturesTooMuch(body, named.variable))
    return failToCapture(body, *named.variable, rvalue(body, e->b), e->range, e->a->range);
  Expr *base = expr(body, e->a), *at = rvalue(body, e->b);
  if (base->type->isError() || at->type->isError())
    return error(body, e->range);
  if (base->type->isView())
    return elementOfView(body, base, {at}, e->range);
  if (Expr* call = overloaded(body, "operator[]", {base, at}, e->range))
    return call;
  return elementAt(body, base, at, e->range);
}

Expr* elementAt(Body& body, Expr* base, Expr* at, SourceRange range) {
  bool of_list = base->type->isDList();
  if (of_list)
    base = listData(body, base, base->range);
  if (at->type->isPointer() || at->type->isArray())
    std::swap(base, at);
  if (at->type->isBool())
    at = cast(body, at, body.sema.types.i32);
  if (!at->type->isInt())
    return fail(body, Diag::bad_index, at->range, typeName(at->type));
  if (!base->type->isPointer() && !base->type->isArray() && !base->type->isVector())
    return fail(body, Diag::not_indexable, range, typeName(base->type));
  if (base->type->isPointer()) {
    if (base->type->element->isVoid())
      return fail(body, Diag::void_pointer, range, typeName(base->type));
    if (!of_list || onDevice(body)) // else each access is a copy
      touchMemory(body, base, range, at);
  }
  if (!checkListIndex(body, base, at))
    return error(body, range);
  ConstValue value;
  if (!base->type->isPointer() && constantValue(at, value) &&
      (value.integer < 0 || uint64_t(value.integer) >= base->type->count))
    return fail(body, Diag::index_out_of_range, at->range, value.integer, typeName(base->type));
  if (!base->type->isPointer() && at->kind == Expr::Var && constantValue(at, value)) // names a fixed element
    at = number(body, value.integer, at->type, at->range);
  Expr* r = body.sema.nodes.make(Expr::Index, base->type->element, range);
  r->a = base, r->b = at;
  return r;
}

// Dereferences the left side of an arrow.
Expr* pointee(Body& body, const ast::Expr* e) {
  Expr* pointer = rvalue(body, e->a);
  if (pointer->type->isError())
    return pointer;
  if (!pointer->type->isPointer())
    return fail(body, Diag::arrow_on_value, e->range, typeName(pointer->type));
  return dereferenced(body, pointer, e->range);
}

Expr* dereferenced(Body& body, Expr* pointer, SourceRange range) {
  if (pointer->type->isError())
    return pointer;
  touchMemory(body, pointer, range);
  Expr* r = body.sema.nodes.make(Expr::Deref, pointer->type->element, range);
  r->a = pointer;
  return r;
}

Expr* member(Body& body, const ast::Expr* e) {
  Expr* base = e->kind == ast::Expr::Arrow ? pointee(body, e) : expr(body, e->a);
  return base->type->isError() ? base : memberOf(body, base, e->name, e->range);
}

static Expr* memberOf(Body& body, Expr* base, std::string_view name, SourceRange range) {
  const Type* type = base->type;
  if (type->isDList())
    return listMember(body, base, name, range);
  if (type->isVector())
    return swizzle(body, base, name, range);
  if (type->isPointer() && type->element->isStruct())
    return fail(body, Diag::dot_on_pointer, range, name);
  if (!type->isStruct())
    return fail(body, Diag::no_member, range, typeName(type), name, "", helpForLength(*type, name));
  const auto& fields = type->structure->fields;
  if (type->isView() && name == "n")
    return viewCount(body, base, range);
  for (size_t i = 0; i < fields.size(); ++i) {
    if (fields[i].name != name)
      continue;
    Expr* r = body.sema.nodes.make(Expr::Field, fields[i].type, range);
    r->a = base, r->index = static_cast<uint32_t>(i);
    return fields[i].type->isError() ? error(body, range) : r;
  }
  if (hasFunction(body.sema, methodName(type, name)))
    return fail(body, Diag::method_not_called, range, name, typeName(type));
  std::string known;
  for (const StructField& field : fields)
    known += (known.empty() ? "" : ", ") + std::string(field.name);
  return fail(body, Diag::no_field, range, typeName(type), name, fieldSuggestion(body.sema, type, name),
              type->isView() ? known + ", n" : known);
}

// xyzw and rgba (not mixed), in any order, one to four of them.
static Expr* swizzle(Body& body, Expr* base, std::string_view name, SourceRange range) {
  static constexpr std::string_view kSets[] = {"xyzw", "rgba"};
  for (std::string_view set : kSets) {
    Expr* r = body.sema.nodes.make(Expr::Swizzle, nullptr, range);
    r->a = base;
    bool fits = !name.empty() && name.size() <= 4;
    for (size_t i = 0; fits && i < name.size(); ++i) {
      size_t lane = set.find(name[i]);
      fits = lane < base->type->count;
      r->lanes[i] = static_cast<uint8_t>(lane);
    }
    if (!fits)
      continue;
    r->lane_count = static_cast<uint8_t>(name.size());
    r->type = name.size() == 1 ? base->type->element
                               : body.sema.types.vector(base->type->element, static_cast<unsigned>(name.size()));
    return r;
  }
  return fail(body, Diag::bad_swizzle, range, name, typeName(base->type));
}

} // namespace bsgp::sema
