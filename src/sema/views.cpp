// Views, T[,] and T[,,]: structs of a pointer and of extents, the slowest first. How they are made, and their elements.
#include <algorithm>

#include <fmt/format.h>

#include "sema/arguments.h"
#include "sema/checker.h"

namespace bsgp::sema {

using ast::BinaryOp;

// Does it give the same when it is evaluated again, and nothing else?
bool Body::isRepeatable(const Expr* e) {
  switch (e->kind) {
  case Expr::Call:
  case Expr::BuiltinCall:
  case Expr::Assign:
  case Expr::CompoundAssign:
  case Expr::IncDec:
  case Expr::Get:
    return false;
  default:
    break;
  }
  for (const Expr* part : {e->a, e->b, e->c})
    if (part && !isRepeatable(part))
      return false;
  return std::all_of(e->args.begin(), e->args.end(), isRepeatable);
}

// Of what leads to a place, what would not give the same again is kept, by assignments that come first.
void Body::keepParts(Expr* place, std::vector<Expr*>& first) {
  auto keep = [&](Expr*& part) {
    if (isRepeatable(part))
      return;
    first.push_back(keptLocal("place", part));
    part = useVariable(first.back()->a->variable, part->range);
  };
  bool of_pointer = place->a && place->a->type->isPointer() && place->a->kind != Expr::DListData;
  if (of_pointer)
    keep(place->a);
  else if (place->a)
    keepParts(place->a, first);
  if (place->kind == Expr::Index)
    keep(place->b);
}

Expr* Body::behind(const std::vector<Expr*>& first, Expr* last) {
  for (size_t i = first.size(); i-- > 0 && !last->type->isError();) {
    Expr* comma = sema_.make(Expr::Comma, last->type, last->range);
    comma->a = first[i], comma->b = last;
    last = comma;
  }
  return last;
}

// ---- their parts

Expr* Body::viewPart(Expr* view, uint32_t field, SourceRange range) {
  Expr* part = sema_.make(Expr::Field, view->type->structure->fields[field].type, range);
  part->a = view, part->index = field;
  return part;
}

// What a view stands for where memory is wanted: what copy and dfree take.
Expr* Body::dataOf(Expr* value) {
  return value->type->isView() ? viewPart(value, kViewData, value->range) : value;
}

// float* p = u, float* p = dnew[h, w]float.
Expr* Body::viewAsPointer(const Expr* view, const char* what) {
  std::string help = isLvalue(view) ? fmt::format("the pointer is {}.data", sourceText(view->range))
                                    : fmt::format("declare it as {}[{:,>{}}]", typeName(view->type->element), "",
                                                  view->type->count - 1);
  return fail(Diag::view_is_no_pointer, view->range, what, typeName(view->type), help);
}

// u.n: how many elements it has.
Expr* Body::viewCount(Expr* view, SourceRange range) {
  if (!isRepeatable(view))
    return callOfLibrary("__count_of", {view}, range);
  Expr* all = nullptr;
  for (size_t i = 0; i < view->type->count; ++i) {
    Expr* extent = cast(viewPart(all ? sema_.copyOf(view) : view, viewExtent(i), range), types_.i64);
    all = all ? binaryOn(BinaryOp::Mul, all, extent, range) : extent;
  }
  return all;
}

Expr* Body::callOfLibrary(std::string_view name, const std::vector<Expr*>& values, SourceRange range) {
  return callFrom(Scope::Library, name, argumentsOf(values), range);
}

// ---- u[y, x], a[y, x] of arrays of arrays, operator[](s, y, x)

Expr* Body::severalIndices(const ast::Expr* e) {
  std::vector<Expr*> parts{expr(e->a), rvalue(e->b)};
  for (const ast::Expr* further : e->args)
    parts.push_back(rvalue(further));
  for (const Expr* part : parts)
    if (part->type->isError())
      return error(e->range);
  Expr* base = parts[0];
  if (base->type->isView())
    return elementOfView(base, {parts.begin() + 1, parts.end()}, e->range);
  if (Expr* call = overloaded("operator[]", parts, e->range))
    return call;
  if (base->type->isVector())
    return fail(Diag::vector_indices, e->args[0]->range, typeName(base->type), sourceText(e->a->range));
  for (size_t i = 1; i < parts.size() && !base->type->isError(); ++i) {
    if (i > 1 && !base->type->isArray() && !base->type->isVector())
      return wrongIndexCount(parts[0], i - 1, parts.size() - 1, e->range);
    if (i == 1 && !base->type->isArray())
      return rejectSeveralIndices(e, base);
    base = elementAt(base, parts[i], e->range);
  }
  return base;
}

Expr* Body::rejectSeveralIndices(const ast::Expr* e, const Expr* base) {
  if (!base->type->isPointer() && !base->type->isDList())
    return fail(Diag::not_indexable, e->range, typeName(base->type));
  if (base->type->element->isView())
    return fail(Diag::index_count, e->range, typeName(base->type), "one number", "several",
                fmt::format("write (*{})[y, x]", sourceText(e->a->range)));
  return fail(Diag::index_without_extents, e->args[0]->range, typeName(base->type), sourceText(e->a->range));
}

Expr* Body::wrongIndexCount(const Expr* indexed, size_t wanted, size_t given, SourceRange range) {
  static constexpr const char* kCounts[] = {"no number", "one number", "two numbers", "three numbers"};
  std::string help = !indexed->type->isView()
                         ? ""
                         : fmt::format("write {}[{}]", sourceText(indexed->range), wanted == 2 ? "y, x" : "z, y, x");
  return fail(Diag::index_count, range, typeName(indexed->type), kCounts[wanted], kCounts[given], help);
}

Expr* Body::elementOfView(Expr* view, std::vector<Expr*> places, SourceRange range) {
  if (places.size() != view->type->count)
    return wrongIndexCount(view, view->type->count, places.size(), range);
  for (Expr*& place : places) {
    if (place->type->isBool())
      place = cast(place, types_.i32);
    if (!place->type->isInt())
      return fail(Diag::bad_index, place->range, typeName(place->type));
    place = cast(place, types_.i64);
  }
  if (!isRepeatable(view)) {
    places.insert(places.begin(), view);
    return dereferenced(callOfLibrary("__element_of", places, range), range);
  }
  Expr* offset = places[0];
  for (size_t i = 1; i < places.size(); ++i) {
    Expr* extent = cast(viewPart(sema_.copyOf(view), viewExtent(i), range), types_.i64);
    offset = binaryOn(BinaryOp::Add, binaryOn(BinaryOp::Mul, offset, extent, range), places[i], range);
  }
  Expr* r = sema_.make(Expr::Index, view->type->element, range);
  r->a = viewPart(view, kViewData, range), r->b = offset;
  touchMemory(r->a, range);
  return r;
}

// ---- how they are made

// view(p, h, w), view(p, d, h, w): of memory that is there.
Expr* Body::viewOf(const ast::Expr* e) {
  size_t extents = e->args.size() - 1;
  if (e->args.size() < 3 || extents > ast::kMostExtents)
    return fail(Diag::argument_count, e->range, "view", "3 or 4", e->args.size());
  Expr* pointer = rvalue(e->args[0]);
  if (pointer->type->isDList())
    pointer = listPointer(pointer, pointer->range);
  if (pointer->type->isError())
    return pointer;
  if (!pointer->type->isPointer() || pointer->type->element->isVoid())
    return fail(Diag::view_of_pointer, pointer->range, typeName(pointer->type),
                pointer->type->isView() ? sourceText(pointer->range) + ".data" : "p");
  std::vector<Expr*> numbers;
  for (const ast::Expr* extent : e->args.subspan(1))
    if (Expr* number = numbers.emplace_back(wholeNumber(extent, types_.i32)); number->type->isError())
      return number;
  return madeView(pointer, numbers, e->range);
}

Expr* Body::wholeNumber(const ast::Expr* e, const Type* type) {
  Expr* value = rvalue(e);
  if (!value->type->isError() && !value->type->isInt())
    return fail(Diag::bad_index, value->range, typeName(value->type));
  return value->type->isError() ? value : convert(value, type, "an extent");
}

Expr* Body::madeView(Expr* pointer, const std::vector<Expr*>& extents, SourceRange range) {
  const Type* of = pointer->type;
  std::vector<Expr*> parts{pointer};
  parts.insert(parts.end(), extents.begin(), extents.end());
  Expr* r = sema_.make(Expr::Construct, types_.view(of->element, extents.size(), of->space, of->to_const), range);
  r->args = sema_.keep(parts);
  return r;
}

// copy(to, from): of as many elements as each has.
Expr* Body::copyOfView(const ast::Expr* e) {
  Expr *to = rvalue(e->args[0]), *from = rvalue(e->args[1]);
  if (to->type->isError() || from->type->isError())
    return error(e->range);
  for (const Expr* view : {to, from})
    if (!view->type->isView() || view->type->count != to->type->count)
      return fail(Diag::copy_without_count, view->range, typeName(view->type));
  Expr *p = dataOf(to), *q = dataOf(from);
  if (!checkPointee(p, to->range))
    return error(e->range);
  if (!sema_.sameType(p->type->element, q->type->element))
    return fail(Diag::copy_types, e->range, typeName(to->type), typeName(from->type));
  return callOfLibrary("__copy_view", {to, from}, e->range);
}

// The assignment to a new variable, which the statement keeps.
Expr* Body::keptLocal(std::string_view name, Expr* value) {
  auto* kept = sema_.arena.make<Variable>(name, value->type, value->range);
  kept->side = side_, kept->is_kept = true;
  if (side_ == Side::Host && !unevaluated_)
    fn_.locals.push_back(kept);
  Stmt* declared = sema_.make(Stmt::Decl, value->range);
  declared->variable = kept;
  if (!unevaluated_)
    kept_.push_back(declared);
  Expr* assign = sema_.make(Expr::Assign, value->type, value->range);
  assign->a = useVariable(kept, value->range), assign->b = value;
  return assign;
}

// dnew[h, w]T: each extent is evaluated once, in order, and checked.
Expr* Body::allocationOfView(const ast::Expr* e, Expr* memory) {
  std::vector<const ast::Expr*> written{e->a};
  written.insert(written.end(), e->args.begin(), e->args.end());
  std::vector<Expr*> first, extents, counted;
  for (const ast::Expr* extent : written) {
    Expr* value = wholeNumber(extent, types_.i64);
    if (value->type->isError())
      return value;
    first.push_back(keptLocal("extent", value));
    Variable* kept = first.back()->a->variable;
    counted.push_back(useVariable(kept, value->range));
    extents.push_back(cast(useVariable(kept, value->range), types_.i32));
  }
  memory->a = callOfLibrary("__elements", counted, e->range);
  if (memory->a->type->isError())
    return memory->a;
  memory = withValues(memory);
  if (memory->type->isError())
    return memory;
  return behind(first, madeView(memory, extents, e->range));
}

} // namespace bsgp::sema
