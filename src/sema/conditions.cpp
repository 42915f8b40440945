#include "sema/conditions.h"

#include <algorithm>

#include <fmt/format.h>

namespace bsgp::sema {

namespace {

using ast::BinaryOp;

// The assignments that are a condition, or an operand of && || ! in it.
void collect(const ast::Expr* e, std::vector<const ast::Expr*>& out) {
  if (e->kind == ast::Expr::Assign && !e->has_op)
    out.push_back(e);
  for (; e->kind == ast::Expr::Binary && (e->binary == BinaryOp::LogicalAnd || e->binary == BinaryOp::LogicalOr);
       e = e->a)
    collect(e->b, out);
  if (e->kind == ast::Expr::Unary && e->unary == ast::UnaryOp::Not)
    collect(e->a, out);
}

bool refusesPlace(Diag kind) {
  return kind == Diag::host_variable_written || kind == Diag::not_an_lvalue || kind == Diag::thread_size_written ||
         kind == Diag::const_written;
}

} // namespace

void sayToCompare(const ast::Expr& condition, const Diagnostics::Mark& before, Diagnostics& diagnostics) {
  std::vector<const ast::Expr*> assignments;
  collect(&condition, assignments);
  if (assignments.empty())
    return;
  const SourceManager& sources = diagnostics.sources();
  for (Diagnostic& message : diagnostics.takeSince(before)) {
    auto holds = [&](const ast::Expr* e) {
      return e->range.begin <= message.range.begin && message.range.end <= e->range.end;
    };
    auto found = std::ranges::find_if(assignments, holds);
    if (refusesPlace(message.kind) && found != assignments.end())
      message.help =
          fmt::format("write {} == {} to compare", sources.text((*found)->a->range), sources.text((*found)->b->range));
    diagnostics.put(std::move(message));
  }
}

} // namespace bsgp::sema
