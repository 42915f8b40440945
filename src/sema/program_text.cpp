#include "sema/program_text.h"

#include <unordered_set>

#include "sema/tree_text.h"
#include "sema/visit.h"

namespace bsgp::sema {

namespace {

class ProgramText {
public:
  explicit ProgramText(const SourceManager& sources) : sources_(sources) {}

  // The variables outside of functions that it uses, the function, and those that it calls.
  void add(const Function& f) {
    if (f.is_extern || !seen_.insert(&f).second)
      return;
    forEachExprIn(f.body, [&](const Expr* e) {
      if (e->kind == Expr::Var && (e->variable->kind == Variable::Global || e->variable->kind == Variable::Constant))
        add(*e->variable);
    });
    TreeText to(out, sources_, f.range.begin, functions_);
    Names variables(&globals_);
    to.use(variables);
    to.function(f);
    forEachExprIn(f.body, [&](const Expr* e) {
      if (e->kind == Expr::Call)
        add(*e->function);
    });
  }

  std::string out;

private:
  void add(const Variable& global) {
    if (!seen_.insert(&global).second)
      return;
    TreeText to(out, sources_, global.range.begin, functions_);
    to.use(globals_);
    to.line((global.kind == Variable::Constant ? "const " : "global ") + to.declared(&global), global.range);
  }

  const SourceManager& sources_;
  Names functions_, globals_;
  std::unordered_set<const void*> seen_;
};

} // namespace

std::string text(const Program& program, const SourceManager& sources) {
  ProgramText text(sources);
  for (const Function* f : program.functions)
    if (!sources.ofLibrary(f->range))
      text.add(*f);
  return std::move(text.out);
}

} // namespace bsgp::sema
