// Indexing, members, swizzles; where memory is touched.
#include "sema/arguments.h"
#include "sema/checker.h"

namespace bsgp::sema {

// A dereference in host or device code: decides an open space, refuses a wrong one.
void Body::touchMemory(Expr* pointer, SourceRange range) {
  if (unevaluated_)
    return;
  if (pointer->type->element->holds_lists)
    sema_.diag.report(Diag::lists_inside, range, "what a pointer points to", typeName(pointer->type->element));
  useAddress(AddressUse::InMemory, pointer->type, range);
  SpaceCell* cell = pointer->type->space->root();
  if (cell->space == Space::Unknown) {
    sema_.decide(cell, onDevice() ? Space::Device : Space::Host, range,
                 onDevice() ? "it is read or written by device code here, so it is a device pointer"
                            : "it is read or written by host code here, so it is a host pointer");
    return;
  }
  bool wrong = onDevice() ? cell->space == Space::Host : cell->space != Space::Host;
  if (!wrong)
    return;
  if (onDevice())
    sema_.diag.report(Diag::host_pointer_on_device, range, typeWithArticle(pointer->type));
  else
    sema_.diag.report(Diag::device_pointer_on_host, range, typeWithArticle(pointer->type));
  const Variable* root = rootVariable(pointer);
  if (cell->why.valid())
    sema_.diag.report(Diag::note_space, cell->why, cell->reason);
  else if (pointer->kind == Expr::Field && !pointer->a->type->isView() && cell->space == Space::Device)
    sema_.diag.report(Diag::note_space, pointer->range, "a field is a device pointer unless its type says 'host'");
  else if (root && root->range.valid())
    sema_.diag.report(Diag::note_declared, root->range, root->name);
}

Expr* Body::index(const ast::Expr* e) {
  if (!e->args.empty())
    return severalIndices(e);
  Expr *base = expr(e->a), *at = rvalue(e->b);
  if (base->type->isError() || at->type->isError())
    return error(e->range);
  if (base->type->isView())
    return elementOfView(base, {at}, e->range);
  if (Expr* call = overloaded("operator[]", {base, at}, e->range))
    return call;
  return elementAt(base, at, e->range);
}

Expr* Body::elementAt(Expr* base, Expr* at, SourceRange range) {
  bool of_list = base->type->isDList();
  if (of_list) {
    warnOfCopies(range);
    base = listData(base, base->range);
  }
  if (at->type->isPointer() || at->type->isArray())
    std::swap(base, at);
  if (at->type->isBool())
    at = cast(at, types_.i32);
  if (!at->type->isInt())
    return fail(Diag::bad_index, at->range, typeName(at->type));
  if (!base->type->isPointer() && !base->type->isArray() && !base->type->isVector())
    return fail(Diag::not_indexable, range, typeName(base->type));
  if (base->type->isPointer()) {
    if (base->type->element->isVoid())
      return fail(Diag::void_pointer, range, typeName(base->type));
    if (!of_list || onDevice()) // else each access is a copy
      touchMemory(base, range);
  }
  if (!checkListIndex(base, at))
    return error(range);
  ConstValue value;
  if (!base->type->isPointer() && Sema::constantValue(at, value) &&
      (value.integer < 0 || uint64_t(value.integer) >= base->type->count))
    return fail(Diag::index_out_of_range, at->range, value.integer, typeName(base->type));
  if (!base->type->isPointer() && at->kind == Expr::Var && Sema::constantValue(at, value)) // a part of its own
    at = number(value.integer, at->type, at->range);
  Expr* r = sema_.make(Expr::Index, base->type->element, range);
  r->a = base, r->b = at;
  return r;
}

// What is left of an arrow points to this.
Expr* Body::pointee(const ast::Expr* e) {
  Expr* pointer = rvalue(e->a);
  if (pointer->type->isError())
    return pointer;
  if (!pointer->type->isPointer())
    return fail(Diag::arrow_on_value, e->range, typeName(pointer->type));
  return dereferenced(pointer, e->range);
}

Expr* Body::dereferenced(Expr* pointer, SourceRange range) {
  if (pointer->type->isError())
    return pointer;
  touchMemory(pointer, range);
  Expr* r = sema_.make(Expr::Deref, pointer->type->element, range);
  r->a = pointer;
  return r;
}

Expr* Body::member(const ast::Expr* e) {
  Expr* base = e->kind == ast::Expr::Arrow ? pointee(e) : expr(e->a);
  return base->type->isError() ? base : memberOf(base, e->name, e->range);
}

Expr* Body::memberOf(Expr* base, std::string_view name, SourceRange range) {
  const Type* type = base->type;
  if (type->isDList())
    return listMember(base, name, range);
  if (type->isVector())
    return swizzle(base, name, range);
  if (type->isPointer() && type->element->isStruct())
    return fail(Diag::dot_on_pointer, range, name);
  if (!type->isStruct())
    return fail(Diag::no_member, range, typeName(type), name, "", "");
  const auto& fields = type->structure->fields;
  if (type->isView() && name == "n")
    return viewCount(base, range);
  for (size_t i = 0; i < fields.size(); ++i) {
    if (fields[i].name != name)
      continue;
    Expr* r = sema_.make(Expr::Field, fields[i].type, range);
    r->a = base, r->index = static_cast<uint32_t>(i);
    return fields[i].type->isError() ? error(range) : r;
  }
  if (sema_.hasFunction(methodName(type, name)))
    return fail(Diag::method_not_called, range, name, typeName(type));
  std::string known;
  for (const StructField& field : fields)
    known += (known.empty() ? "" : ", ") + std::string(field.name);
  return fail(Diag::no_field, range, typeName(type), name, sema_.fieldSuggestion(type, name),
              type->isView() ? known + ", n" : known);
}

// xyzw and rgba (not mixed), in any order, one to four of them.
Expr* Body::swizzle(Expr* base, std::string_view name, SourceRange range) {
  static constexpr std::string_view kSets[] = {"xyzw", "rgba"};
  for (std::string_view set : kSets) {
    Expr* r = sema_.make(Expr::Swizzle, nullptr, range);
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
    r->type =
        name.size() == 1 ? base->type->element : types_.vector(base->type->element, static_cast<unsigned>(name.size()));
    return r;
  }
  return fail(Diag::bad_swizzle, range, name, typeName(base->type));
}

} // namespace bsgp::sema
