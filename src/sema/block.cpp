// The block level: block.rank and its like, block.sync, calls of functions named block.something, shared variables.
#include <fmt/format.h>

#include "sema/checker.h"

namespace bsgp::sema {

namespace {

constexpr uint64_t kSharedBytes = 48 * 1024; // what every GPU gives a block without being asked

} // namespace

Expr* Body::blockMember(const ast::Expr* e) {
  std::string_view name = e->name;
  if (name == "sync" || sema_.hasFunction(fmt::format("block.{}", name)))
    return fail(Diag::block_call_form, e->range, name);
  bool of_threads = name == "rank" || name == "size" || name == "id";
  if (!of_threads && name != "limit" && name != "count")
    return fail(Diag::unknown_block_member, e->range, name, sema_.memberSuggestion(ast::Family::Block, name));
  if (!rank_type_ || (of_threads && !onDevice()))
    return fail(Diag::block_outside_spawn, e->range, name);
  if (name == "limit")
    return number(block_, types_.i32, e->range);
  if (name == "count")
    return blockCount(e->range);
  if (name == "id")
    return sema_.make(Expr::BlockId, rank_type_, e->range);
  return sema_.make(name == "rank" ? Expr::BlockRank : Expr::BlockSize, types_.i32, e->range);
}

// (thread.size + limit - 1) / limit, unsigned, so that the sum does not overflow; the host can compute it.
Expr* Body::blockCount(SourceRange range) {
  const Type* type = types_.integer(rank_type_->bits, false);
  auto binary = [&](ast::BinaryOp op, Expr* a, int64_t b) {
    Expr* r = sema_.make(Expr::Binary, type, range);
    r->op = op, r->a = a, r->b = number(b, type, range);
    return r;
  };
  Expr* size = cast(sema_.make(Expr::ThreadSize, rank_type_, range), type);
  return cast(binary(ast::BinaryOp::Div, binary(ast::BinaryOp::Add, size, block_ - 1), block_), rank_type_);
}

Expr* Body::blockCall(const ast::Expr* e) {
  std::string_view name = e->a->name;
  std::string full = fmt::format("block.{}", name);
  if (name == "sync")
    return blockSync(e);
  if (sema_.hasFunction(full))
    return callWith(sema_.arena.copy(full), arguments(e->args), e->range, isUsed(e));
  for (std::string_view member : {"rank", "size", "limit", "id", "count"})
    if (name == member)
      return fail(Diag::not_callable, e->a->range, fmt::format("'{}'", full), "");
  return fail(Diag::unknown_block_member, e->a->range, name, sema_.memberSuggestion(ast::Family::Block, name));
}

Expr* Body::blockSync(const ast::Expr* e) {
  if (!e->args.empty())
    return fail(Diag::argument_count, e->range, "block.sync", 0, e->args.size());
  if (!onDevice() || !rank_type_)
    return fail(Diag::block_outside_spawn, e->range, "sync");
  sawBlockSync();
  Expr* r = sema_.make(Expr::BuiltinCall, types_.void_, e->range);
  r->builtin = Builtin::BlockSync;
  return r;
}

// In the library on a GPU, of the tile of blocks that one block of the GPU runs, one behind the other between two
// block.syncs: __tile_rank(), __tile_size(), __tile_id(); __per_tile(x), which makes of a variable of the block one of
// the tile.
Expr* Body::tileBuiltin(std::string_view name, const ast::Expr* e) {
  if (name == "__per_tile" && sema_.for_gpu)
    return perTile(e);
  bool rank = name == "__tile_rank", size = name == "__tile_size";
  bool known = rank || size || name == "__tile_id";
  if (!known || !sema_.for_gpu || !onDevice())
    return nullptr;
  if (!e->args.empty())
    return fail(Diag::argument_count, e->range, name, 0, e->args.size());
  Expr* r = sema_.make(Expr::BuiltinCall, rank || size ? types_.i32 : types_.i64, e->range);
  r->builtin = rank ? Builtin::TileRank : size ? Builtin::TileSize : Builtin::TileId;
  return r;
}

// Says so of the whole variable, wherever it stands in its scope, and leaves no code.
Expr* Body::perTile(const ast::Expr* e) {
  if (e->args.size() != 1)
    return fail(Diag::argument_count, e->range, "__per_tile", 1, e->args.size());
  Expr* named = expr(e->args[0]);
  if (named->type->isError())
    return named;
  if (named->kind != Expr::Var || named->variable->kind != Variable::Shared)
    return fail(Diag::bad_operand, named->range, "__per_tile", "what is no shared variable");
  named->variable->of_tile = true;
  return sema_.make(Expr::Construct, types_.void_, e->range); // of nothing
}

void Body::sawBlockSync() {
  if (unevaluated_)
    return;
  saw_block_sync_ = true;
  if (fn_.side == Side::Device)
    fn_.syncs_block = true;
}

// shared T x;  shared T s[n];  shared T s[]: an element for each thread of a full block.
Stmt* Body::declareShared(const ast::Declarator& d) {
  rejectRedefinition(d);
  bool placed = onDevice() && rank_type_;
  const Type* type = nullptr;
  if (!placed) {
    sema_.diag.report(Diag::shared_on_host, d.range, d.name);
  } else if (d.init) {
    sema_.diag.report(Diag::shared_initializer, d.range, d.name);
  } else if (d.type->kind == ast::TypeExpr::Array && !d.type->count) {
    const Type* element = sema_.resolve(d.type->inner, this);
    type = element->isError() ? element : types_.array(element, block_);
  } else {
    type = sema_.resolve(d.type, this);
  }
  const Type* element = type;
  while (element && element->isArray())
    element = element->element;
  if (element && (element->isVoid() || element->holds_lists)) {
    sema_.diag.report(element->isVoid() ? Diag::bad_variable_type : Diag::lists_inside, d.range, d.name,
                      typeName(element));
    type = nullptr;
  } else if (type && type->size > kSharedBytes) {
    sema_.diag.report(Diag::shared_too_large, d.range, d.name, type->size, kSharedBytes);
  }
  Variable* v = local(d.name, type ? type : types_.error, d.range);
  if (v->type->isError())
    return nullptr;
  useAddress(AddressUse::InMemory, types_.pointer(v->type, Space::Shared), d.range);
  v->kind = Variable::Shared;
  Stmt* made = sema_.make(Stmt::Decl, d.range);
  made->variable = v;
  return made;
}

} // namespace bsgp::sema
