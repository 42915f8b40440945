#include "expand/expand.h"

#include "expand/clone.h"
#include "expand/flattener.h"
#include "expand/verify.h"
#include "expand/visit.h"

namespace bsgp::expand {

namespace {

// Makes a require for the code that computes the value of a test.
void makeTests(FlatSpawn& spawn, Program& program) {
  sema::Nodes nodes{program.arena};
  for (FlatSuperstep& step : spawn.supersteps) {
    FlatTest* test = step.test;
    if (!test)
      continue;
    test->result = program.arena.make<Variable>("", test->value->type, test->range);
    test->result->side = Side::Host;
    spawn.function->locals.push_back(test->result);
    Expr* assign = nodes.assign(nodes.use(test->result, test->range), test->value, test->range);
    test->code = program.arena.make<FlatRequire>();
    test->code->id = static_cast<uint32_t>(spawn.requires_.size());
    test->code->range = test->range, test->code->called_at = test->called_at;
    test->code->body = {nodes.statement(assign, test->range)};
    test->code->test = test;
    spawn.requires_.push_back(test->code);
  }
}

// Copies the statements of a spawn, which the passes of this folder change; those of sema stay as they are.
Stmt* copyOf(Stmt* body, Program& program) {
  Cloner cloner(program, nullptr);
  cloner.keepVariables();
  return cloner.clone(body);
}

} // namespace

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
      spawn->block = s->block, spawn->width = s->width, spawn->is_partition = s->is_partition;
      if (Flattener(*flat.program, *function, *spawn, options, diag).run(copyOf(s->body, *flat.program))) {
        checkSupersteps(*spawn, *flat.program, diag);
        warnOfRepeatedGets(*spawn, diag);
        warnOfOldRanks(*spawn, diag);
        warnOfGetsBehindChanges(*spawn, diag);
        bindVersions(*spawn, *flat.program);
        makeTests(*spawn, *flat.program);
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
