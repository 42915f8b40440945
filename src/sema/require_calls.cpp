#include "sema/require_calls.h"

#include <fmt/format.h>

#include "sema/nearest_form.h"
#include "sema/tree_walk.h"

namespace bsgp::sema {

namespace {

// The outermost call around a place in a require that threads make together; null: there is none.
const ast::Expr* callOfThreads(const ast::Stmt& require, SourceRange place, Sema& sema) {
  const ast::Expr* found = nullptr;
  auto look = [&](const ast::Expr* e) {
    bool around = e->range.begin <= place.begin && place.end <= e->range.end;
    if (!found && around && e->kind == ast::Expr::Call && threadsCall(sema, calledName(e->a)))
      found = e;
  };
  ast::walk(
      require.body, [](const ast::Stmt*) { return true; }, look,
      [](const ast::Expr*) { return std::optional<bool>(); });
  return found;
}

} // namespace

void sayToLeaveRequire(const ast::Stmt& require, const Diagnostics::Mark& before, Sema& sema) {
  for (Diagnostic& message : sema.diag.takeSince(before)) {
    const ast::Expr* call =
        message.kind == Diag::thread_variable_on_host ? callOfThreads(require, message.range, sema) : nullptr;
    if (call)
      message.help = fmt::format("the threads call '{}' together: write the statement with {} outside of the 'require'",
                                 calledName(call->a), sema.diag.sources().text(call->range));
    sema.diag.put(std::move(message));
  }
}

} // namespace bsgp::sema
