// Finds facts of device code before it is emitted: how variables are used, and how functions return.
#include "irgen/emitter.h"
#include "sema/visit.h"

namespace bsgp::irgen {

// A variable whose address is taken is memory; one that is never assigned to is its first value; others are kept as
// scalars. An argument by reference counts when the parameter's address is taken, so callees come first (device code
// does not recurse).
void ModuleEmitter::findUses(const Expr* e) {
  auto remember = [](const Expr* place, llvm::DenseSet<const Variable*>& variables) {
    if (const Variable* root = rootVariable(place))
      variables.insert(root);
  };
  switch (e->kind) {
  case Expr::Call:
    if (!e->function->body)
      break;
    findUses(e->function);
    for (size_t i = 0; i < e->args.size() && i < e->function->params.size(); ++i) {
      const Variable* param = e->function->params[i];
      if (param->by_reference)
        remember(e->args[i], assigned_);
      if (param->by_reference && hasAddressTaken(param))
        remember(e->args[i], address_taken_);
    }
    break;
  case Expr::AddrOf:
  case Expr::Decay:
    remember(e->a, address_taken_);
    break;
  case Expr::Assign:
  case Expr::CompoundAssign:
  case Expr::IncDec:
    remember(e->a, assigned_);
    break;
  case Expr::BuiltinCall:
    if (e->builtin == Builtin::Asm)
      for (unsigned i = 0; i < e->index; ++i) // its outputs
        remember(e->args[i], assigned_);
    break;
  default:
    break;
  }
}

void ModuleEmitter::findUses(const Stmt* stmt) {
  forEachStmt(stmt, [&](const Stmt* part) {
    if (part->kind == Stmt::Put)
      if (const Variable* root = rootVariable(part->target))
        assigned_.insert(root);
    if (part->kind == Stmt::Decl ? !part->expr : part->kind == Stmt::Inlined && part->variable)
      assigned_.insert(part->variable);
  });
  forEachExprIn(stmt, [&](const Expr* e) { findUses(e); });
}

void ModuleEmitter::findUses(const Function* function) {
  if (searched_.insert(function).second)
    findUses(function->body);
}

void ModuleEmitter::findUses(const FlatSpawn& spawn) {
  for (const FlatSuperstep& superstep : spawn.supersteps)
    for (const FlatItem& item : superstep.items)
      if (item.stmt)
        findUses(item.stmt);
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
