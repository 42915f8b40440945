#include "sema/views.h"

#include <algorithm>

#include <fmt/format.h>

#include "sema/arguments.h"
#include "sema/body.h"
#include "sema/convert.h"
#include "sema/expr_access.h"
#include "sema/expr_assign.h"
#include "sema/expr_calls.h"
#include "sema/expr_names.h"
#include "sema/expr_operators.h"
#include "sema/expressions.h"
#include "sema/field_values.h"
#include "sema/lists.h"
#include "sema/misplaced.h"

namespace bsgp::sema {

using ast::BinaryOp;

static Expr* rejectSeveralIndices(Body& body, const ast::Expr* e, const Expr* base);
static Expr* wrongIndexCount(Body& body, const Expr* indexed, size_t wanted, size_t given, SourceRange range);
static Expr* wholeNumber(Body& body, const ast::Expr* e, const Type* type);
static Expr* madeView(Body& body, Expr* pointer, const std::vector<Expr*>& extents, SourceRange range);

// True if it gives the same when it is evaluated again, and has no other effect.
bool isRepeatable(const Expr* e) {
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

// Keeps the parts of a place that would not give the same again in variables, by assignments that come first.
void keepParts(Body& body, Expr* place, std::vector<Expr*>& first) {
  auto keep = [&](Expr*& part) {
    if (isRepeatable(part))
      return;
    first.push_back(keptLocal(body, "place", part));
    part = useVariable(body, first.back()->a->variable, part->range);
  };
  bool of_pointer = place->a && place->a->type->isPointer() && place->a->kind != Expr::DListData;
  if (of_pointer)
    keep(place->a);
  else if (place->a)
    keepParts(body, place->a, first);
  if (place->kind == Expr::Index)
    keep(place->b);
}

Expr* behind(Body& body, const std::vector<Expr*>& first, Expr* last) {
  for (size_t i = first.size(); i-- > 0 && !last->type->isError();) {
    Expr* comma = body.sema.nodes.make(Expr::Comma, last->type, last->range);
    comma->a = first[i], comma->b = last;
    last = comma;
  }
  return last;
}

// ---- their parts

static Expr* viewPart(Body& body, Expr* view, uint32_t field, SourceRange range) {
  Expr* part = body.sema.nodes.make(Expr::Field, view->type->structure->fields[field].type, range);
  part->a = view, part->index = field;
  return part;
}

// Returns the data of a view, for functions that take memory: copy and dfree.
Expr* dataOf(Body& body, Expr* value) {
  return value->type->isView() ? viewPart(body, value, kViewData, value->range) : value;
}

// float* p = u, float* p = dnew[h, w]float.
Expr* viewAsPointer(Body& body, const Expr* view, const char* what) {
  std::string help = isLvalue(view) ? fmt::format("the pointer is {}.data", sourceText(body, view->range))
                                    : fmt::format("declare it as {}[{:,>{}}]", typeName(view->type->element), "",
                                                  view->type->count - 1);
  return fail(body, Diag::view_is_no_pointer, view->range, what, typeName(view->type), help);
}

// u.n: the number of its elements.
Expr* viewCount(Body& body, Expr* view, SourceRange range) {
  if (!isRepeatable(view))
    return callOfLibrary(body, "__count_of", {view}, range);
  Expr* all = nullptr;
  for (size_t i = 0; i < view->type->count; ++i) {
    Expr* extent = cast(body, viewPart(body, all ? body.sema.nodes.copyOf(view) : view, viewExtent(i), range),
                        body.sema.types.i64);
    all = all ? binaryOn(body, BinaryOp::Mul, all, extent, range) : extent;
  }
  return all;
}

Expr* callOfLibrary(Body& body, std::string_view name, const std::vector<Expr*>& values, SourceRange range) {
  return callFrom(body, Scope::Library, name, argumentsOf(values), range);
}

// ---- u[y, x], a[y, x] of arrays of arrays, operator[](s, y, x)

Expr* severalIndices(Body& body, const ast::Expr* e) {
  std::vector<Expr*> parts{expr(body, e->a), rvalue(body, e->b)};
  for (const ast::Expr* further : e->args)
    parts.push_back(rvalue(body, further));
  for (const Expr* part : parts)
    if (part->type->isError())
      return error(body, e->range);
  Expr* base = parts[0];
  if (base->type->isView())
    return elementOfView(body, base, {parts.begin() + 1, parts.end()}, e->range);
  if (Expr* call = overloaded(body, "operator[]", parts, e->range))
    return call;
  if (base->type->isVector())
    return fail(body, Diag::vector_indices, e->args[0]->range, typeName(base->type), sourceText(body, e->a->range));
  for (size_t i = 1; i < parts.size() && !base->type->isError(); ++i) {
    if (i > 1 && !base->type->isArray() && !base->type->isVector())
      return wrongIndexCount(body, parts[0], i - 1, parts.size() - 1, e->range);
    if (i == 1 && !base->type->isArray())
      return rejectSeveralIndices(body, e, base);
    base = elementAt(body, base, parts[i], e->range);
  }
  return base;
}

static Expr* rejectSeveralIndices(Body& body, const ast::Expr* e, const Expr* base) {
  if (!base->type->isPointer() && !base->type->isDList())
    return fail(body, Diag::not_indexable, e->range, typeName(base->type));
  if (base->type->element->isView())
    return fail(body, Diag::index_count, e->range, typeName(base->type), "one number", "several",
                fmt::format("write (*{})[y, x]", sourceText(body, e->a->range)));
  return fail(body, Diag::index_without_extents, e->args[0]->range, typeName(base->type),
              sourceText(body, e->a->range));
}

static Expr* wrongIndexCount(Body& body, const Expr* indexed, size_t wanted, size_t given, SourceRange range) {
  static constexpr const char* kCounts[] = {"no number", "one number", "two numbers", "three numbers"};
  std::string help = !indexed->type->isView() ? ""
                                              : fmt::format("write {}[{}]", sourceText(body, indexed->range),
                                                            wanted == 2 ? "y, x" : "z, y, x");
  return fail(body, Diag::index_count, range, typeName(indexed->type), kCounts[wanted], kCounts[given], help);
}

Expr* elementOfView(Body& body, Expr* view, std::vector<Expr*> places, SourceRange range) {
  if (places.size() != view->type->count)
    return wrongIndexCount(body, view, view->type->count, places.size(), range);
  for (Expr*& place : places) {
    if (place->type->isBool())
      place = cast(body, place, body.sema.types.i32);
    if (!place->type->isInt())
      return fail(body, Diag::bad_index, place->range, typeName(place->type));
    place = cast(body, place, body.sema.types.i64);
  }
  if (!isRepeatable(view)) {
    places.insert(places.begin(), view);
    return dereferenced(body, callOfLibrary(body, "__element_of", places, range), range);
  }
  Expr* offset = places[0];
  for (size_t i = 1; i < places.size(); ++i) {
    Expr* extent = cast(body, viewPart(body, body.sema.nodes.copyOf(view), viewExtent(i), range), body.sema.types.i64);
    offset = binaryOn(body, BinaryOp::Add, binaryOn(body, BinaryOp::Mul, offset, extent, range), places[i], range);
  }
  Expr* r = body.sema.nodes.make(Expr::Index, view->type->element, range);
  r->a = viewPart(body, view, kViewData, range), r->b = offset;
  touchMemory(body, r->a, range);
  return r;
}

// ---- how they are made

// view(p, h, w), view(p, d, h, w): a view of existing memory.
Expr* viewOf(Body& body, const ast::Expr* e) {
  size_t extents = e->args.size() - 1;
  if (e->args.size() < 3 || extents > ast::kMostExtents)
    return fail(body, Diag::argument_count, e->range, "view", "3 or 4", e->args.size());
  Expr* pointer = rvalue(body, e->args[0]);
  if (pointer->type->isDList())
    pointer = listPointer(body, pointer, pointer->range);
  if (pointer->type->isError())
    return pointer;
  if (!pointer->type->isPointer() || pointer->type->element->isVoid())
    return fail(body, Diag::view_of_pointer, pointer->range, typeName(pointer->type),
                pointer->type->isView() ? sourceText(body, pointer->range) + ".data" : "p");
  std::vector<Expr*> numbers;
  for (const ast::Expr* extent : e->args.subspan(1))
    if (Expr* number = numbers.emplace_back(wholeNumber(body, extent, body.sema.types.i32)); number->type->isError())
      return number;
  return madeView(body, pointer, numbers, e->range);
}

static Expr* wholeNumber(Body& body, const ast::Expr* e, const Type* type) {
  Expr* value = rvalue(body, e);
  if (!value->type->isError() && !value->type->isInt())
    return fail(body, Diag::bad_index, value->range, typeName(value->type));
  return value->type->isError() ? value : convert(body, value, type, "an extent");
}

static Expr* madeView(Body& body, Expr* pointer, const std::vector<Expr*>& extents, SourceRange range) {
  const Type* of = pointer->type;
  std::vector<Expr*> parts{pointer};
  parts.insert(parts.end(), extents.begin(), extents.end());
  Expr* r = body.sema.nodes.make(Expr::Construct,
                                 body.sema.types.view(of->element, extents.size(), of->space, of->to_const), range);
  r->args = body.sema.nodes.keep(parts);
  return r;
}

// copy(to, from): copies as many elements as each has.
Expr* copyOfView(Body& body, const ast::Expr* e) {
  Expr *to = rvalue(body, e->args[0]), *from = rvalue(body, e->args[1]);
  if (to->type->isError() || from->type->isError())
    return error(body, e->range);
  for (const Expr* view : {to, from})
    if (!view->type->isView() || view->type->count != to->type->count)
      return fail(body, Diag::copy_without_count, view->range, typeName(view->type));
  Expr *p = dataOf(body, to), *q = dataOf(body, from);
  if (!checkPointee(body, p, to->range))
    return error(body, e->range);
  if (!sameType(p->type->element, q->type->element))
    return fail(body, Diag::copy_types, e->range, typeName(to->type), typeName(from->type));
  return callOfLibrary(body, "__copy_view", {to, from}, e->range);
}

// The assignment to a new variable, which the statement keeps.
Expr* keptLocal(Body& body, std::string_view name, Expr* value) {
  auto* kept = body.sema.arena.make<Variable>(name, value->type, value->range);
  kept->side = body.mode.side, kept->is_kept = true;
  if (body.mode.side == Side::Host && !body.mode.unevaluated)
    body.function.locals.push_back(kept);
  Stmt* declared = body.sema.nodes.make(Stmt::Decl, value->range);
  declared->variable = kept;
  if (!body.mode.unevaluated)
    body.kept.push_back(declared);
  Expr* assign = body.sema.nodes.make(Expr::Assign, value->type, value->range);
  assign->a = useVariable(body, kept, value->range), assign->b = value;
  return assign;
}

// dnew[h, w]T: each extent is evaluated once, in order, and checked.
Expr* allocationOfView(Body& body, const ast::Expr* e, Expr* memory) {
  std::vector<const ast::Expr*> written{e->a};
  written.insert(written.end(), e->args.begin(), e->args.end());
  std::vector<Expr*> first, extents, counted;
  for (const ast::Expr* extent : written) {
    Expr* value = wholeNumber(body, extent, body.sema.types.i64);
    if (value->type->isError())
      return value;
    first.push_back(keptLocal(body, "extent", value));
    Variable* kept = first.back()->a->variable;
    counted.push_back(useVariable(body, kept, value->range));
    extents.push_back(cast(body, useVariable(body, kept, value->range), body.sema.types.i32));
  }
  memory->a = callOfLibrary(body, "__elements", counted, e->range);
  if (memory->a->type->isError())
    return memory->a;
  memory = withValues(body, memory);
  if (memory->type->isError())
    return memory;
  return behind(body, first, madeView(body, memory, extents, e->range));
}

} // namespace bsgp::sema
