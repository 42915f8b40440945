#include "sema/addresses.h"

#include <fmt/format.h>

#include "sema/body.h"

namespace bsgp::sema {

namespace {

enum class Answer : uint8_t { Fine, Wrong, Open };

// Visits each pointer that a value of this type holds.
template <class F> void eachPointer(const Type* type, const F& visit) {
  if (type->isPointer())
    return visit(type);
  if (type->isArray())
    return eachPointer(type->element, visit);
  if (type->isStruct())
    for (const StructField& field : type->structure->fields)
      eachPointer(field.type, visit);
}

bool ofThreads(Space space) {
  return space == Space::Private || space == Space::Shared;
}

Answer answerFor(Space held, Space memory, AddressUse::Kind kind) {
  if (held == Space::Unknown)
    return Answer::Open;
  if (!ofThreads(held))
    return Answer::Fine;
  if (kind != AddressUse::InMemory)
    return Answer::Wrong;
  if (memory == Space::Unknown)
    return Answer::Open;
  bool outlived = held == Space::Private ? memory != Space::Private : !ofThreads(memory);
  return outlived ? Answer::Wrong : Answer::Fine;
}

// Judges the use; `about` is the first pointer in it that is wrong, or whose space is still open.
Answer answerFor(const AddressUse& use, const Type*& about) {
  Answer all = Answer::Fine;
  Space memory = use.pointer->space->root()->space;
  auto ask = [&](const Type* held) {
    Answer one = answerFor(held->space->root()->space, memory, use.kind);
    if (one == Answer::Fine || all == Answer::Wrong)
      return;
    all = one, about = held;
  };
  if (use.kind == AddressUse::AsNumber || use.kind == AddressUse::FromNumber)
    ask(use.pointer);
  else
    eachPointer(use.pointer->element, ask);
  return all;
}

const char* nameOf(Space space) {
  return space == Space::Device ? "device" : space == Space::Shared ? "shared" : "host";
}

} // namespace

static void reportAddress(Sema& sema, const AddressUse& use, const Type* about) {
  const char* owner = about->space->root()->space == Space::Private ? "thread" : "block";
  switch (use.kind) {
  case AddressUse::AsNumber:
    sema.diag.report(Diag::address_as_number, use.range, typeWithArticle(about), owner);
    return;
  case AddressUse::FromNumber:
    sema.diag.report(Diag::number_as_address, use.range, typeWithArticle(about), owner);
    return;
  case AddressUse::AsOtherType:
    sema.diag.report(Diag::address_as_other, use.range, typeWithArticle(about), owner);
    return;
  case AddressUse::InMemory:
    sema.diag.report(Diag::address_in_memory, use.range, typeWithArticle(about),
                     nameOf(use.pointer->space->root()->space), owner);
  }
}

void useAddress(Body& body, AddressUse::Kind kind, const Type* pointer, SourceRange range) {
  if (body.mode.unevaluated || !onDevice(body))
    return;
  AddressUse use{kind, pointer, range};
  const Type* about = nullptr;
  Answer answer = answerFor(use, about);
  if (answer == Answer::Wrong)
    reportAddress(body.sema, use, about);
  else if (answer == Answer::Open)
    body.sema.open_addresses.push_back(use);
}

// Runs when no more spaces can become known.
void checkOpenAddresses(Sema& sema) {
  for (const AddressUse& use : sema.open_addresses) {
    const Type* about = nullptr;
    if (answerFor(use, about) == Answer::Wrong)
      reportAddress(sema, use, about);
  }
}

namespace {

// Returns a pointer in it whose space is open; null if there is none.
const Type* openPointer(const Type* type) {
  while (type && type->isArray())
    type = type->element;
  for (; type && type->space; type = type->element)
    if (type->space->root()->space == Space::Unknown)
      return type;
  return nullptr;
}

} // namespace

// An open space becomes the host's. If callers from outside have to know it, the program should name it.
void warnOfOpenPointers(Sema& sema) {
  if (sema.diag.hasErrors())
    return;
  for (const Function* function : sema.program.functions) {
    if (!function->is_export)
      continue;
    bool by_parameter = false;
    for (const Variable* param : function->params)
      if (openPointer(param->type)) {
        sema.diag.report(Diag::space_open, param->range, fmt::format("the parameter '{}'", param->name));
        by_parameter = true;
      }
    if (!by_parameter && openPointer(function->result))
      sema.diag.report(Diag::space_open, function->range, fmt::format("the result of '{}'", function->name));
  }
  for (const Variable* global : sema.program.globals)
    if (!global->is_extern && !sema.diag.sources().ofLibrary(global->range) && openPointer(global->type))
      sema.diag.report(Diag::space_open, global->range, fmt::format("'{}'", global->name));
}

} // namespace bsgp::sema
