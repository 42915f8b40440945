// Orders of the library that hold for two equal values: sort(p, n, <=), sort(p, n, [](a, b) { return a.x <= b.x; }).
#include <fmt/format.h>

#include "sema/instantiate.h"
#include "sema/name_scopes.h"
#include "sema/services.h"
#include "sema/warnings.h"

namespace bsgp::sema {

namespace {

using ast::BinaryOp;

// < of <=, > of >=; null: the operator is none of them.
const char* strictFormOf(BinaryOp op) {
  return op == BinaryOp::Le ? "<" : op == BinaryOp::Ge ? ">" : nullptr;
}

// The comparison that is all that an order of the program returns; null: it does more.
const ast::Expr* returnedBy(const Callable& order, const Sema& sema) {
  Overloads set = overloads(sema, order.name, order.scope);
  const ast::Function* node = set.size() == 1 ? set.front() : nullptr;
  bool one = node && node->body && node->body->stmts.size() == 1 && !sema.diag.sources().ofLibrary(node->range);
  const ast::Stmt* only = one ? node->body->stmts[0] : nullptr;
  bool compares = only && only->kind == ast::Stmt::Return && only->expr && only->expr->kind == ast::Expr::Binary;
  return compares ? only->expr : nullptr;
}

void warnOfOrder(const Argument& argument, Sema& sema) {
  const Callable& order = argument.callable;
  if (const char* strict = order.is_operator ? strictFormOf(order.op) : nullptr)
    return sema.warnings.report(Diag::order_not_strict, argument.range, sema.diag.sources().text(argument.range),
                                strict);
  const ast::Expr* compared = order.is_operator ? nullptr : returnedBy(order, sema);
  const char* strict = compared ? strictFormOf(compared->binary) : nullptr;
  auto text = [&](const ast::Expr* part) { return sema.diag.sources().text(part->range); };
  if (strict)
    sema.warnings.report(Diag::order_not_strict, compared->range, text(compared),
                         fmt::format("{} {} {}", text(compared->a), strict, text(compared->b)));
}

} // namespace

void warnOfOrders(const Function& function, std::span<const Argument> arguments, Sema& sema) {
  const ast::Function* node = declarationOf(sema, function);
  if (!node || scopeOf(sema, node->range) != Scope::Library)
    return;
  for (size_t i = 0; i < arguments.size() && i < node->params.size(); ++i)
    if (node->params[i].name == "less" && arguments[i].is_callable)
      warnOfOrder(arguments[i], sema);
}

} // namespace bsgp::sema
