#include "sema/warp.h"

#include <algorithm>

#include <fmt/format.h>

#include "sema/body.h"
#include "sema/convert.h"
#include "sema/expr_calls.h"
#include "sema/expressions.h"
#include "sema/name_scopes.h"
#include "sema/nearest_form.h"
#include "sema/suggest.h"

namespace bsgp::sema {

namespace {

struct WarpFunction {
  std::string_view name;
  unsigned arguments;
};

constexpr WarpFunction kFunctions[] = {{"shuffle", 2}, {"shuffle_up", 2}, {"shuffle_down", 2}, {"shuffle_xor", 2},
                                       {"ballot", 1},  {"any", 1},        {"all", 1},          {"sync", 0}};

const WarpFunction* findFunction(std::string_view name) {
  for (const WarpFunction& function : kFunctions)
    if (function.name == name)
      return &function;
  return nullptr;
}

bool isMember(std::string_view name) {
  return name == "rank" || name == "id" || name == "size" || name == "limit";
}

const Type* elementType(const Type* type) {
  return type->isArray() ? elementType(type->element) : type;
}

// True for a value that other threads can use: without a pointer to a thread's variable in it.
bool canBeShared(const Type* type) {
  if (type->isPointer())
    return type->space->root()->space != Space::Private;
  if (type->isStruct())
    return std::all_of(type->structure->fields.begin(), type->structure->fields.end(),
                       [](const StructField& field) { return canBeShared(elementType(field.type)); });
  return type->isScalar() || type->isVector();
}

} // namespace

static bool checkWarpArguments(Body& body, std::string_view name, const std::vector<Argument>& given,
                               SourceRange range);

Expr* warpMember(Body& body, const ast::Expr* e) {
  std::string_view name = e->name;
  if (hasFunction(body.sema, fmt::format("warp.{}", name)))
    return fail(body, Diag::warp_call_form, e->range, name, formOfMember(body.sema, "warp", name));
  if (!isMember(name))
    return fail(body, Diag::unknown_warp_member, e->range, name, memberSuggestion(body.sema, ast::Family::Warp, name));
  if (!body.mode.rank_type || (name != "limit" && !onDevice(body)))
    return fail(body, Diag::warp_outside_spawn, e->range, name);
  if (name == "limit")
    return number(body, kWarp, body.sema.types.i32, e->range);
  return body.sema.nodes.make(name == "rank" ? Expr::WarpRank
                              : name == "id" ? Expr::WarpId
                                             : Expr::WarpSize,
                              body.sema.types.i32, e->range);
}

Expr* warpCall(Body& body, const ast::Expr* e) {
  std::string_view name = e->a->name;
  std::string full = fmt::format("warp.{}", name);
  if (isMember(name))
    return fail(body, Diag::not_callable, e->a->range, fmt::format("'{}'", full), "");
  if (!hasFunction(body.sema, full))
    return fail(body, Diag::unknown_warp_member, e->a->range, name,
                memberSuggestion(body.sema, ast::Family::Warp, name));
  if (!onDevice(body) || !body.mode.rank_type)
    return fail(body, Diag::warp_outside_spawn, e->range, name);
  std::vector<Argument> given = arguments(body, e->args);
  if (!checkWarpArguments(body, name, given, e->range))
    return error(body, e->range);
  return callWith(body, body.sema.arena.copy(full), std::move(given), e->range, isUsed(body, e));
}

// Checks the arguments of functions known here, before the library's own text could give errors.
static bool checkWarpArguments(Body& body, std::string_view name, const std::vector<Argument>& given,
                               SourceRange range) {
  const WarpFunction* function = findFunction(name);
  if (function && given.size() != function->arguments) {
    body.sema.diag.report(Diag::argument_count, range, fmt::format("warp.{}", name), function->arguments, given.size());
    return false;
  }
  if (!function || function->arguments != 2)
    return true;
  const Type* value = given[0].value ? given[0].value->type : body.sema.types.void_;
  const Type* lane = given[1].value ? given[1].value->type : body.sema.types.void_;
  if (value->isError() || lane->isError())
    return false;
  if (!canBeShared(value)) {
    body.sema.diag.report(Diag::warp_value, given[0].range, name, given[0].value ? typeName(value) : "a function");
    return false;
  }
  if (!lane->isInt())
    body.sema.diag.report(Diag::bad_index, given[1].range, typeName(lane));
  return lane->isInt();
}

// __warp_shuffle(v, lane), __warp_ballot(c), __warp_sync(): the library's functions on a GPU are made of these.
Expr* warpBuiltin(Body& body, std::string_view name, const ast::Expr* e) {
  if (!body.sema.options.gpu || !name.starts_with("__warp_") || !onDevice(body))
    return nullptr;
  bool shuffle = name == "__warp_shuffle", ballot = name == "__warp_ballot";
  if (!shuffle && !ballot && name != "__warp_sync")
    return nullptr;
  size_t wanted = shuffle ? 2 : ballot ? 1 : 0;
  if (e->args.size() != wanted)
    return fail(body, Diag::argument_count, e->range, name, wanted, e->args.size());
  Expr* r = body.sema.nodes.make(Expr::BuiltinCall, body.sema.types.void_, e->range);
  r->builtin = shuffle ? Builtin::WarpShuffle : ballot ? Builtin::WarpBallot : Builtin::WarpSync;
  if (shuffle)
    r->a = rvalue(body, e->args[0]), r->b = convert(body, rvalue(body, e->args[1]), body.sema.types.i32, "the lane"),
    r->type = r->a->type;
  if (ballot)
    r->a = condition(body, e->args[0]), r->type = body.sema.types.integer(32, false);
  for (Expr* part : {r->a, r->b})
    if (part && part->type->isError())
      return part;
  sawWarpSync(body);
  return r;
}

void sawWarpSync(Body& body) {
  if (body.mode.unevaluated)
    return;
  body.flow.saw_block_sync = true;
  if (body.function.side == Side::Device)
    body.function.syncs_warp = true;
}

} // namespace bsgp::sema
