#include "sema/block.h"

#include <fmt/format.h>

#include "sema/addresses.h"
#include "sema/body.h"
#include "sema/convert.h"
#include "sema/expr_calls.h"
#include "sema/expressions.h"
#include "sema/misplaced.h"
#include "sema/name_scopes.h"
#include "sema/nearest_form.h"
#include "sema/resolve_type.h"
#include "sema/scopes.h"
#include "sema/suggest.h"

namespace bsgp::sema {

namespace {

constexpr uint64_t kSharedBytes = 48 * 1024; // what every GPU gives a block without being asked

} // namespace

static Expr* blockCount(Body& body, SourceRange range);
static Expr* blockSync(Body& body, const ast::Expr* e);
static Expr* perTile(Body& body, const ast::Expr* e);

Expr* blockMember(Body& body, const ast::Expr* e) {
  std::string_view name = e->name;
  if (name == "sync" || hasFunction(body.sema, fmt::format("block.{}", name)))
    return fail(body, Diag::block_call_form, e->range, name, formOfMember(body.sema, "block", name));
  bool of_threads = name == "rank" || name == "size" || name == "id";
  if (!of_threads && name != "limit" && name != "count")
    return fail(body, Diag::unknown_block_member, e->range, name,
                memberSuggestion(body.sema, ast::Family::Block, name));
  if (!body.mode.rank_type || (of_threads && !onDevice(body)))
    return fail(body, Diag::block_outside_spawn, e->range, name);
  if (name == "limit")
    return number(body, body.mode.block, body.sema.types.i32, e->range);
  if (name == "count")
    return blockCount(body, e->range);
  if (name == "id")
    return body.sema.nodes.make(Expr::BlockId, body.mode.rank_type, e->range);
  return body.sema.nodes.make(name == "rank" ? Expr::BlockRank : Expr::BlockSize, body.sema.types.i32, e->range);
}

// (thread.size + limit - 1) / limit, unsigned, so that the sum does not overflow; the host can compute it.
static Expr* blockCount(Body& body, SourceRange range) {
  const Type* type = body.sema.types.integer(body.mode.rank_type->bits, false);
  auto binary = [&](ast::BinaryOp op, Expr* a, int64_t b) {
    return body.sema.nodes.binary(op, a, number(body, b, type, range), type, range);
  };
  Expr* size = cast(body, body.sema.nodes.make(Expr::ThreadSize, body.mode.rank_type, range), type);
  return cast(body, binary(ast::BinaryOp::Div, binary(ast::BinaryOp::Add, size, body.mode.block - 1), body.mode.block),
              body.mode.rank_type);
}

Expr* blockCall(Body& body, const ast::Expr* e) {
  std::string_view name = e->a->name;
  std::string full = fmt::format("block.{}", name);
  if (name == "sync")
    return blockSync(body, e);
  if (hasFunction(body.sema, full))
    return callWith(body, body.sema.arena.copy(full), arguments(body, e->args), e->range, isUsed(body, e));
  for (std::string_view member : {"rank", "size", "limit", "id", "count"})
    if (name == member)
      return fail(body, Diag::not_callable, e->a->range, fmt::format("'{}'", full), "");
  return fail(body, Diag::unknown_block_member, e->a->range, name,
              memberSuggestion(body.sema, ast::Family::Block, name));
}

static Expr* blockSync(Body& body, const ast::Expr* e) {
  if (!e->args.empty())
    return fail(body, Diag::argument_count, e->range, "block.sync", 0, e->args.size());
  if (!onDevice(body) || !body.mode.rank_type)
    return fail(body, Diag::block_outside_spawn, e->range, "sync");
  refuseInWavefront(body, "block.sync()", e->range);
  sawBlockSync(body);
  Expr* r = body.sema.nodes.make(Expr::BuiltinCall, body.sema.types.void_, e->range);
  r->builtin = Builtin::BlockSync;
  return r;
}

// In the library on a GPU, of the tile of blocks that one block of the GPU runs, one behind the other between two
// block.syncs: __tile_rank(), __tile_size(), __tile_id(); __per_tile(x), which makes of a variable of the block one of
// the tile.
Expr* tileBuiltin(Body& body, std::string_view name, const ast::Expr* e) {
  if (name == "__per_tile" && body.sema.options.gpu)
    return perTile(body, e);
  bool rank = name == "__tile_rank", size = name == "__tile_size";
  bool known = rank || size || name == "__tile_id";
  if (!known || !body.sema.options.gpu || !onDevice(body))
    return nullptr;
  if (!e->args.empty())
    return fail(body, Diag::argument_count, e->range, name, 0, e->args.size());
  Expr* r = body.sema.nodes.make(Expr::BuiltinCall, rank || size ? body.sema.types.i32 : body.sema.types.i64, e->range);
  r->builtin = rank ? Builtin::TileRank : size ? Builtin::TileSize : Builtin::TileId;
  return r;
}

// Says so of the whole variable, wherever it stands in its scope, and leaves no code.
static Expr* perTile(Body& body, const ast::Expr* e) {
  if (e->args.size() != 1)
    return fail(body, Diag::argument_count, e->range, "__per_tile", 1, e->args.size());
  Expr* named = expr(body, e->args[0]);
  if (named->type->isError())
    return named;
  if (named->kind != Expr::Var || named->variable->kind != Variable::Shared)
    return fail(body, Diag::bad_operand, named->range, "__per_tile", "what is no shared variable");
  named->variable->of_tile = true;
  return body.sema.nodes.make(Expr::Construct, body.sema.types.void_, e->range); // of nothing
}

void sawBlockSync(Body& body) {
  if (body.mode.unevaluated)
    return;
  body.flow.saw_block_sync = true;
  if (body.function.side == Side::Device)
    body.function.syncs_block = true;
}

// shared T x;  shared T s[n];  shared T s[]: an element for each thread of a full block.
Stmt* declareShared(Body& body, const ast::Declarator& d) {
  rejectRedefinition(body, d);
  bool placed = onDevice(body) && body.mode.rank_type;
  const Type* type = nullptr;
  if (!placed) {
    body.sema.diag.report(Diag::shared_on_host, d.range, d.name);
  } else if (d.init) {
    body.sema.diag.report(Diag::shared_initializer, d.range, d.name);
  } else if (d.type->kind == ast::TypeExpr::Array && !d.type->count) {
    const Type* element = resolve(body.sema, d.type->inner, &body);
    type = element->isError() ? element : body.sema.types.array(element, body.mode.block);
  } else {
    type = resolve(body.sema, d.type, &body);
  }
  const Type* element = type;
  while (element && element->isArray())
    element = element->element;
  if (element && (element->isVoid() || element->holds_lists)) {
    body.sema.diag.report(element->isVoid() ? Diag::bad_variable_type : Diag::lists_inside, d.range, d.name,
                          typeName(element));
    type = nullptr;
  } else if (type && type->size > kSharedBytes) {
    body.sema.diag.report(Diag::shared_too_large, d.range, d.name, type->size, kSharedBytes);
  }
  Variable* v = local(body, d.name, type ? type : body.sema.types.error, d.range);
  if (v->type->isError())
    return nullptr;
  useAddress(body, AddressUse::InMemory, body.sema.types.pointer(v->type, Space::Shared), d.range);
  v->kind = Variable::Shared;
  return body.sema.nodes.declaration(v, nullptr, d.range);
}

} // namespace bsgp::sema
