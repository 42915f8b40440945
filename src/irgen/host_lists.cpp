// Values that hold lists, on the host. Such a value is always somewhere in memory: it is moved from there if it has
// no other owner, and copied otherwise. Every place that owns lists is one of the frame's: empty when the function
// begins, freed at its exit whatever path leads there. Freeing leaves a list empty, so it may be done early.
#include <algorithm>

#include "irgen/host_emitter.h"
#include "plan/plan_abi.h"
#include "support/check.h"

namespace bsgp::irgen {

// Calls part(to, from) for each list, and for parts that hold none, of two places of one type.
void HostEmitter::forEachPart(const Place& to, const Place& from,
                              llvm::function_ref<void(const Place&, const Place&)> part) {
  constexpr uint64_t kFew = 4;
  const Type* type = to.type;
  if (!type->holds_lists || type->isDList())
    return part(to, from);
  auto element = [&](llvm::Value* index) { forEachPart(elementOf(to, index), elementOf(from, index), part); };
  if (type->isArray() && type->count > kFew)
    return forEachIndex(type->count, element);
  for (uint64_t i = 0; type->isArray() && i < type->count; ++i)
    element(b.getInt64(i));
  for (uint32_t i = 0; type->isStruct() && i < type->structure->fields.size(); ++i)
    forEachPart(fieldOf(to, i), fieldOf(from, i), part);
}

void HostEmitter::forEachList(const Place& place, llvm::function_ref<void(llvm::Value*)> visit) {
  forEachPart(place, place, [&](const Place& part, const Place&) {
    if (part.type->isDList())
      visit(part.address);
  });
}

void HostEmitter::clearLists(const Place& place) {
  forEachList(place,
              [&](llvm::Value* list) { b.CreateMemSet(list, b.getInt8(0), sizeof(bsgp_dlist), llvm::Align(8)); });
}

void HostEmitter::freeLists(const Place& place) {
  forEachList(place, [&](llvm::Value* list) { callRuntime("bsgp_rt_dlist_free", b.getVoidTy(), {call_, list}); });
}

// Moves to a place whose lists are empty.
void HostEmitter::moveLists(const Place& to, const Place& from) {
  forEachPart(to, from, [&](const Place& target, const Place& source) {
    if (!target.type->isDList())
      return Emitter::copy(target, source);
    b.CreateMemCpy(target.address, llvm::Align(8), source.address, llvm::Align(8), sizeof(bsgp_dlist));
    clearLists(source);
  });
}

void HostEmitter::copyLists(const Place& to, const Place& from, SourceRange range) {
  forEachPart(to, from, [&](const Place& target, const Place& source) {
    if (!target.type->isDList())
      return Emitter::copy(target, source);
    llvm::Value* each = b.getInt64(target.type->element->size);
    runtime("bsgp_rt_dlist_assign",
            {call_, target.address, source.address, each, m.site(range, typeName(target.type->element))});
  });
}

// `room`: its lists are empty.
void HostEmitter::fill(const Place& room, const Place& from, const Expr* value, bool last_use) {
  if (last_use || isTemporary(value))
    moveLists(room, from);
  else
    copyLists(room, from, value->range);
}

Place HostEmitter::assignLists(const Expr* e) {
  Place target = place(e->a), from = held(e->b);
  if (isTemporary(e->b)) {
    freeLists(target);
    moveLists(target, from);
  } else {
    copyLists(target, from, e->range);
  }
  return target;
}

// Returns the place of the value. A value that is no lvalue has a place of its own until the statement ends.
Place HostEmitter::held(const Expr* e) {
  switch (e->kind) {
  case Expr::Assign:
    return assignLists(e);
  case Expr::Call:
    return callInMemory(e);
  case Expr::Construct: {
    Place made = newTemporaryLists(e->type);
    constructLists(made, e);
    return made;
  }
  default:
    return place(e);
  }
}

void HostEmitter::constructLists(const Place& to, const Expr* e) {
  if (e->type->isDList())
    return e->args.empty() ? void() : appendValues(to.address, e->type->element, e->args, e->range);
  for (uint32_t i = 0; i < e->args.size(); ++i) {
    const Expr* part = e->args[i];
    Place target = e->type->isArray() ? elementOf(to, b.getInt64(i)) : fieldOf(to, i);
    if (!part->type->holds_lists)
      Emitter::copy(target, isLarge(part->type) ? inMemory(part) : spilled(part->type, value(part)));
    else if (part->kind == Expr::Construct)
      constructLists(target, part);
    else
      fill(target, held(part), part, false);
  }
}

void HostEmitter::appendValues(llvm::Value* list, const Type* type, std::span<Expr* const> values, SourceRange range) {
  llvm::Type* room = llvm::ArrayType::get(m.types.memory(type), values.size());
  llvm::Value* elements = newAlloca(room, llvm::Align(std::max(8u, type->align)), "elements");
  for (size_t i = 0; i < values.size(); ++i) {
    Place element = Place::memory(type, offset(elements, i * type->size));
    if (isLarge(type))
      Emitter::copy(element, inMemory(values[i]));
    else
      store(element, value(values[i]));
  }
  runtime("bsgp_rt_dlist_append",
          {call_, list, elements, b.getInt64(values.size()), b.getInt64(type->size), m.site(range, typeName(type))});
}

// ---- temporaries
Place HostEmitter::newTemporaryLists(const Type* type) {
  const Variable* v = frame_.newTemporary(type, require_ != nullptr);
  Place room = newStorage(v);
  if (loops_ || require_) // frees its lists of the last iteration
    freeLists(room);
  temporary_lists_.push_back(v);
  return room;
}

void HostEmitter::endStatement(size_t before) {
  for (size_t i = before; live() && i < temporary_lists_.size(); ++i)
    freeLists(variable(temporary_lists_[i]));
  temporary_lists_.resize(before);
}

// ---- elements
Place HostEmitter::listElement(const Expr* e) {
  Place made;
  made.kind = Place::Element, made.type = e->type;
  made.address = place(e->a->a).address;
  made.element = frame_.newElement({indexValue(e->b), e->type, e->range});
  made.part = b.getInt64(0);
  return made;
}

namespace {

// The scalars of a vector that a place of several of its lanes has to read.
uint32_t lanesIn(const Place& place) {
  return 1 + *std::max_element(place.numbers.begin(), place.numbers.end());
}

} // namespace

void HostEmitter::moveElement(llvm::StringRef function, const Place& place, llvm::Value* memory, uint64_t bytes) {
  const ListElement& element = *place.element;
  runtime(function, {call_, place.address, element.index, b.getInt64(element.type->size), place.part, b.getInt64(bytes),
                     memory, m.site(element.range)});
}

llvm::Value* HostEmitter::readLanes(const Place& place) {
  const Type* lane = place.type->element;
  llvm::Type* room = llvm::ArrayType::get(m.types.memory(lane), lanesIn(place));
  llvm::Value* lanes = newAlloca(room, alignmentOf(lane), "lanes");
  moveElement("bsgp_rt_dlist_read", place, lanes, lanesIn(place) * lane->size);
  return lanes;
}

Leaves HostEmitter::readElement(const Place& place) {
  if (place.numbers.empty())
    return load(materialized(place));
  const Type* lane = place.type->element;
  llvm::Value* lanes = readLanes(place);
  Leaves result;
  for (uint32_t number : place.numbers)
    result.push_back(loadScalar(offset(lanes, number * lane->size), lane));
  return result;
}

// A large value is passed by its address.
void HostEmitter::writeElement(const Place& place, const Leaves& value) {
  if (place.numbers.empty()) {
    llvm::Value* memory = isLarge(place.type) ? value[0] : spilled(place.type, value).address;
    return moveElement("bsgp_rt_dlist_write", place, memory, place.type->size);
  }
  const Type* lane = place.type->element;
  llvm::Value* lanes = readLanes(place);
  for (size_t i = 0; i < value.size(); ++i)
    storeScalar(offset(lanes, place.numbers[i] * lane->size), value[i], lane);
  moveElement("bsgp_rt_dlist_write", place, lanes, lanesIn(place) * lane->size);
}

Place HostEmitter::materialized(const Place& place) {
  BSGP_CHECK(place.kind == Place::Element, "a kernel parameter in host code");
  Place memory = temporary(place.type);
  moveElement("bsgp_rt_dlist_read", place, memory.address, place.type->size);
  return memory;
}

// peek(p, i), poke(p, i, x)
Leaves HostEmitter::elementCall(const Expr* e) {
  const Type* type = e->a->type->element;
  bool pokes = e->builtin == Builtin::Poke;
  llvm::Value *pointer = plain(scalar(e->a)), *index = scalar(e->b);
  Place here = !pokes ? temporary(type) : isLarge(type) ? inMemory(e->c) : spilled(type, value(e->c));
  runtime(pokes ? "bsgp_rt_poke" : "bsgp_rt_peek",
          {call_, pointer, index, b.getInt64(type->size), here.address, m.site(e->range)});
  return pokes ? Leaves() : load(here);
}

} // namespace bsgp::irgen
