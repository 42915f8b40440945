// Warps: warp.rank and its like, and the functions of the library by which the threads of a warp exchange values.
#include <algorithm>

#include <fmt/format.h>

#include "sema/checker.h"

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

// What other threads can use too: no pointer to a variable of the thread, nowhere inside.
bool canBeShared(const Type* type) {
  if (type->isPointer())
    return type->space->root()->space != Space::Private;
  if (type->isStruct())
    return std::all_of(type->structure->fields.begin(), type->structure->fields.end(),
                       [](const StructField& field) { return canBeShared(elementType(field.type)); });
  return type->isScalar() || type->isVector();
}

} // namespace

Expr* Body::warpMember(const ast::Expr* e) {
  std::string_view name = e->name;
  if (sema_.hasFunction(fmt::format("warp.{}", name)))
    return fail(Diag::warp_call_form, e->range, name);
  if (!isMember(name))
    return fail(Diag::unknown_warp_member, e->range, name, sema_.memberSuggestion(ast::Family::Warp, name));
  if (!rank_type_ || (name != "limit" && !onDevice()))
    return fail(Diag::warp_outside_spawn, e->range, name);
  if (name == "limit")
    return number(kWarp, types_.i32, e->range);
  return sema_.make(name == "rank" ? Expr::WarpRank
                    : name == "id" ? Expr::WarpId
                                   : Expr::WarpSize,
                    types_.i32, e->range);
}

Expr* Body::warpCall(const ast::Expr* e) {
  std::string_view name = e->a->name;
  std::string full = fmt::format("warp.{}", name);
  if (isMember(name))
    return fail(Diag::not_callable, e->a->range, fmt::format("'{}'", full), "");
  if (!sema_.hasFunction(full))
    return fail(Diag::unknown_warp_member, e->a->range, name, sema_.memberSuggestion(ast::Family::Warp, name));
  if (!onDevice() || !rank_type_)
    return fail(Diag::warp_outside_spawn, e->range, name);
  std::vector<Argument> given = arguments(e->args);
  if (!checkWarpArguments(name, given, e->range))
    return error(e->range);
  return callWith(sema_.arena.copy(full), std::move(given), e->range, isUsed(e));
}

// Of the functions that are known here, before the library's own text could complain.
bool Body::checkWarpArguments(std::string_view name, const std::vector<Argument>& given, SourceRange range) {
  const WarpFunction* function = findFunction(name);
  if (function && given.size() != function->arguments) {
    sema_.diag.report(Diag::argument_count, range, fmt::format("warp.{}", name), function->arguments, given.size());
    return false;
  }
  if (!function || function->arguments != 2)
    return true;
  const Type* value = given[0].value ? given[0].value->type : types_.void_;
  const Type* lane = given[1].value ? given[1].value->type : types_.void_;
  if (value->isError() || lane->isError())
    return false;
  if (!canBeShared(value)) {
    sema_.diag.report(Diag::warp_value, given[0].range, name, given[0].value ? typeName(value) : "a function");
    return false;
  }
  if (!lane->isInt())
    sema_.diag.report(Diag::bad_index, given[1].range, typeName(lane));
  return lane->isInt();
}

// __warp_shuffle(v, lane), __warp_ballot(c), __warp_sync(): what the library's functions are made of on a GPU.
Expr* Body::warpBuiltin(std::string_view name, const ast::Expr* e) {
  if (!sema_.for_gpu || !name.starts_with("__warp_") || !onDevice())
    return nullptr;
  bool shuffle = name == "__warp_shuffle", ballot = name == "__warp_ballot";
  if (!shuffle && !ballot && name != "__warp_sync")
    return nullptr;
  size_t wanted = shuffle ? 2 : ballot ? 1 : 0;
  if (e->args.size() != wanted)
    return fail(Diag::argument_count, e->range, name, wanted, e->args.size());
  Expr* r = sema_.make(Expr::BuiltinCall, types_.void_, e->range);
  r->builtin = shuffle ? Builtin::WarpShuffle : ballot ? Builtin::WarpBallot : Builtin::WarpSync;
  if (shuffle)
    r->a = rvalue(e->args[0]), r->b = convert(rvalue(e->args[1]), types_.i32, "the lane"), r->type = r->a->type;
  if (ballot)
    r->a = condition(e->args[0]), r->type = types_.integer(32, false);
  for (Expr* part : {r->a, r->b})
    if (part && part->type->isError())
      return part;
  sawWarpSync();
  return r;
}

void Body::sawWarpSync() {
  if (unevaluated_)
    return;
  saw_block_sync_ = true;
  if (fn_.side == Side::Device)
    fn_.syncs_warp = true;
}

} // namespace bsgp::sema
