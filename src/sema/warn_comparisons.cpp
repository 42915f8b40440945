// Comparisons that are not of what they seem to compare: s == "text" is of addresses, and x == 3 || 4 compares nothing with 4.
#include <fmt/format.h>

#include "sema/services.h"
#include "sema/warnings.h"

namespace bsgp::sema {

namespace {

using ast::BinaryOp;

bool isEquality(const ast::Expr& e) {
  return e.kind == ast::Expr::Binary && (e.binary == BinaryOp::Eq || e.binary == BinaryOp::Ne);
}

bool isJoin(const ast::Expr& e) {
  return e.kind == ast::Expr::Binary && (e.binary == BinaryOp::LogicalAnd || e.binary == BinaryOp::LogicalOr);
}

// The comparison that stands next to the last operand: of x == 3 || 4 || 5 it is x == 3.
const ast::Expr* comparisonBefore(const ast::Expr& join) {
  for (const ast::Expr* at = join.a;; at = at->a) {
    if (isEquality(*at))
      return at;
    if (!isJoin(*at))
      return nullptr;
    if (isEquality(*at->b))
      return at->b;
  }
}

const Expr& withoutCasts(const Expr& e) {
  const Expr* at = &e;
  while (at->kind == Expr::Cast)
    at = at->a;
  return *at;
}

// Is it a name of an enum, of which `truth` holds another one?
bool isOfEnum(const Expr& value, const Expr& truth) {
  if (value.kind != Expr::Constant || value.type->enum_name.empty())
    return false;
  const Expr* at = &withoutCasts(truth);
  while (at->kind == Expr::LogicalAnd || at->kind == Expr::LogicalOr)
    at = &withoutCasts(*at->a);
  return at->kind == Expr::Binary && withoutCasts(*at->b).type->enum_name == value.type->enum_name;
}

} // namespace

void warnOfTextAddresses(const ast::Expr& e, const Type& left, const Type& right, Diagnostics& diagnostics) {
  bool of_text = isEquality(e) && (e.a->kind == ast::Expr::StringLit || e.b->kind == ast::Expr::StringLit);
  if (!of_text || !left.isPointer() || !right.isPointer())
    return;
  auto text = [&](const ast::Expr* part) { return diagnostics.sources().text(part->range); };
  diagnostics.report(Diag::text_addresses, e.range, text(&e), text(e.a), text(e.b), ast::spelling(e.binary));
}

void warnOfConstantOperand(const ast::Expr& e, const Expr& truth, const Expr& value, Diagnostics& diagnostics) {
  const ast::Expr* before = comparisonBefore(e);
  bool number = e.b->kind == ast::Expr::IntLit || e.b->kind == ast::Expr::CharLit || e.b->kind == ast::Expr::FloatLit;
  if (!before || !(number || isOfEnum(value, truth)))
    return;
  auto text = [&](const ast::Expr* part) { return diagnostics.sources().text(part->range); };
  bool holds = value.type->isFloat() ? value.value.floating != 0 : value.value.integer != 0;
  diagnostics.report(Diag::constant_operand, e.b->range, text(e.b), holds ? "true" : "false",
                     fmt::format("{} {} {}", text(before->a), ast::spelling(before->binary), text(e.b)),
                     ast::spelling(e.binary));
}

} // namespace bsgp::sema
