#include "expand/expand.h"

#include <fmt/format.h>

#include "expand/flattener.h"
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
  return flat;
}

std::string text(const FlatProgram& flat, const SourceManager& sources) {
  std::string out;
  for (auto& spawn : flat.spawns) {
    LineColumn at = sources.at(spawn->range.begin);
    out += fmt::format("spawn in {} at {}:{}\n", spawn->function->name, at.file, at.line);
    for (size_t k = 0; k < spawn->supersteps.size(); ++k) {
      const FlatSuperstep& step = spawn->supersteps[k];
      out += fmt::format("  superstep {}{}\n", k + 1, step.reassigned ? " (ranks reassigned)" : "");
      for (const FlatItem& item : step.items) {
        SourceRange range = item.stmt ? item.stmt->range : item.require->range;
        LineColumn line = sources.at(range.begin);
        std::string label = item.stmt ? "device" : fmt::format("require {}", item.require->id);
        std::string_view file = sources.text(range.begin);
        std::string_view code = file.substr(range.begin - sources.begin(range.begin), range.end - range.begin);
        out += fmt::format("    {:<11} {}:{}: {}\n", label, line.file, line.line, code.substr(0, code.find('\n')));
      }
      for (uint32_t scope : step.freed_scopes)
        out += fmt::format("    free the temporaries of scope {}\n", scope);
    }
  }
  return out;
}

} // namespace bsgp::expand
