// What is known of device code before it is emitted: whose address is taken, and how functions return.
#include "irgen/emitter.h"
#include "irgen/walk.h"

namespace bsgp::irgen {

// A variable whose address is taken is memory; others are kept as scalars. An argument by reference counts when the
// parameter's address is taken, so callees come first (device code does not recurse).
void ModuleEmitter::findAddressTaken(const Expr* e) {
  if (e->kind == Expr::Call && e->function->body) {
    findAddressTaken(e->function);
    for (size_t i = 0; i < e->args.size() && i < e->function->params.size(); ++i)
      if (e->function->params[i]->by_reference && hasAddressTaken(e->function->params[i]))
        if (const Variable* root = rootVariable(e->args[i]))
          address_taken_.insert(root);
  }
  if (e->kind == Expr::AddrOf || e->kind == Expr::Decay)
    if (const Variable* root = rootVariable(e->a))
      address_taken_.insert(root);
}

void ModuleEmitter::findAddressTaken(const Stmt* stmt) {
  forEachExprIn(stmt, [&](const Expr* e) { findAddressTaken(e); });
}

void ModuleEmitter::findAddressTaken(const Function* function) {
  if (searched_.insert(function).second)
    findAddressTaken(function->body);
}

void ModuleEmitter::findAddressTaken(const FlatSpawn& spawn) {
  for (const FlatSuperstep& superstep : spawn.supersteps)
    for (const FlatItem& item : superstep.items)
      if (item.stmt)
        findAddressTaken(item.stmt);
}

const ReturnShape& ModuleEmitter::returnShape(const Function* function) {
  auto [at, is_new] = return_shapes_.try_emplace(function);
  if (!is_new)
    return at->second;
  unsigned returns = 0;
  forEachStmt(function->body, [&](const Stmt* s) { returns += s->kind == Stmt::Return; });
  const Stmt* last = function->body;
  while (last && (last->kind == Stmt::Block || last->kind == Stmt::Sequence))
    last = last->stmts.empty() ? nullptr : last->stmts.back();
  at->second.only_at_end = returns == 0 || (returns == 1 && last && last->kind == Stmt::Return);
  return at->second;
}

} // namespace bsgp::irgen
