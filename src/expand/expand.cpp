#include "expand/expand.h"

#include "expand/flattener.h"
#include "expand/verify.h"
#include "expand/visit.h"

namespace bsgp::expand {

FlatProgram expand(std::unique_ptr<Program> program, const Options& options, Diagnostics& diag) {
  FlatProgram flat;
  flat.program = std::move(program);
  for (Function* function : flat.program->functions) {
    if (!function->has_spawn)
      continue;
    visitStmt(function->body, [&](Stmt* s) {
      if (s->kind != Stmt::Spawn)
        return true;
      auto spawn = std::make_unique<FlatSpawn>();
      spawn->range = s->range, spawn->function = function, spawn->size = s->expr, spawn->rank_type = s->expr->type;
      spawn->block = s->block, spawn->width = s->width;
      if (Flattener(*flat.program, *function, *spawn, options, diag).run(s->body)) {
        checkSupersteps(*spawn, *flat.program, diag);
        bindVersions(*spawn, *flat.program);
        for (FlatRequire* require : spawn->requires_)
          for (Stmt* inner : require->body)
            visitExprs(inner, [&](Expr* e) {
              function->uses_temps |= e->kind == Expr::BuiltinCall && e->builtin == Builtin::DtempNew;
              return true;
            });
      }
      s->flat = spawn.get();
      flat.spawns.push_back(std::move(spawn));
      return false;
    });
  }
  if (!diag.hasErrors())
    check(flat);
  return flat;
}

} // namespace bsgp::expand
