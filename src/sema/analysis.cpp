#include "sema/analysis.h"

#include <unordered_set>

#include "sema/body.h"
#include "sema/declare.h"
#include "sema/expr_calls.h"
#include "sema/open_calls.h"
#include "sema/visit.h"

namespace bsgp::sema {

// Adds the host functions that instances call to those that are compiled: analysis drops those that only functions without callers
// call. Each function is looked through once.
class Analysis::Reached {
public:
  explicit Reached(Program& program) : program_(program), known_(program.functions.begin(), program.functions.end()) {}

  void add(Function& f) {
    if (!seen_.insert(&f).second || !f.body)
      return;
    if (f.side == Side::Host && known_.insert(&f).second)
      program_.functions.push_back(&f);
    visitExprs(f.body, [&](Expr* e) {
      for (Function* callee : {e->function, e->on_host})
        if (callee)
          add(*callee);
      return true;
    });
  }

private:
  Program& program_;
  std::unordered_set<const Function*> known_, seen_;
};

Analysis::Analysis(const ast::Program& tree, Options options, Diagnostics& diagnostics)
    : options_(std::move(options)), program_(std::make_unique<Program>()),
      sema_(std::make_unique<Sema>(*program_, options_, diagnostics)) {
  checkProgram(*sema_, tree);
}

Analysis::~Analysis() = default;

Nodes& Analysis::nodes() {
  return sema_->nodes;
}

Expr* Analysis::call(Function& in, const Stmt& spawn, std::string_view name, const std::vector<Expr*>& values,
                     SourceRange range) {
  Body body(*sema_, in, nullptr);
  body.mode.side = Side::Device, body.mode.in_spawn = true;
  body.mode.rank_type = spawn.expr->type, body.mode.block = spawn.block;
  std::vector<Argument> arguments;
  for (Expr* value : values)
    arguments.push_back({.value = value, .range = value->range});
  Expr* made = callFrom(body, Scope::Library, name, std::move(arguments), range);
  decideOpenCalls(*sema_);
  if (!reached_)
    reached_ = std::make_unique<Reached>(*program_);
  if (made->function)
    reached_->add(*made->function);
  return made;
}

std::unique_ptr<Program> Analysis::take() {
  sema_.reset(), reached_.reset();
  return std::move(program_);
}

std::unique_ptr<Program> analyze(const ast::Program& tree, const Options& options, Diagnostics& diagnostics) {
  return Analysis(tree, options, diagnostics).take();
}

} // namespace bsgp::sema
