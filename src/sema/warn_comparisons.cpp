// Comparisons that are not of what they seem to compare: s == "text" is of addresses, x == 3 || 4 compares nothing with 4, and
// 3 || 4 == x nothing with 3.
#include <fmt/format.h>

#include "sema/services.h"
#include "sema/warnings.h"

namespace bsgp::sema {

namespace {

using ast::BinaryOp;

bool isEquality(const ast::Expr& e) {
  return e.kind == ast::Expr::Binary && (e.binary == BinaryOp::Eq || e.binary == BinaryOp::Ne);
}

bool isComparison(const ast::Expr& e) {
  return e.kind == ast::Expr::Binary && e.binary >= BinaryOp::Lt && e.binary <= BinaryOp::Ne;
}

bool isJoin(const ast::Expr& e) {
  return e.kind == ast::Expr::Binary && (e.binary == BinaryOp::LogicalAnd || e.binary == BinaryOp::LogicalOr);
}

// The comparison that stands next to the last operand: of x == 3 || 4 || 5 it is x == 3.
const ast::Expr* comparisonBefore(const ast::Expr& join) {
  for (const ast::Expr* at = join.a;; at = at->a) {
    if (isComparison(*at))
      return at;
    if (!isJoin(*at))
      return nullptr;
    if (isComparison(*at->b))
      return at->b;
  }
}

bool isNumber(const ast::Expr& e) {
  return e.kind == ast::Expr::IntLit || e.kind == ast::Expr::CharLit || e.kind == ast::Expr::FloatLit;
}

// x < n && 1 and x < n || 0 switch a part of a condition on or off.
bool isSwitch(const ast::Expr& e) {
  return e.kind == ast::Expr::IntLit && e.integer <= 1;
}

// strcmp(s, "a") == 0, which compares s with a text.
bool comparesTexts(const ast::Expr& e) {
  return isEquality(e) && e.a->kind == ast::Expr::Call && e.a->a->kind == ast::Expr::Name && e.a->a->name == "strcmp" &&
         e.a->args.size() == 2;
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

// x == (3 || 4)
void warnOfJoinedNumbers(const ast::Expr& e, Diagnostics& diagnostics) {
  if (!isEquality(e) || !isJoin(*e.b) || !isNumber(*e.b->a) || !isNumber(*e.b->b) || isNumber(*e.a))
    return;
  auto text = [&](const ast::Expr* part) { return diagnostics.sources().text(part->range); };
  const ast::Expr &first = *e.b->a, &second = *e.b->b;
  bool holds = e.b->binary == BinaryOp::LogicalOr ? first.integer || second.integer : first.integer && second.integer;
  std::string_view op = ast::spelling(e.binary);
  diagnostics.report(Diag::constant_operand, e.b->range, text(e.b), holds ? "true" : "false",
                     fmt::format("{0} {1} {2} {3} {0} {1} {4}", text(e.a), op, text(&first),
                                 e.binary == BinaryOp::Eq ? "||" : "&&", text(&second)));
}

// 3 || 4 == x
static void warnOfConstantInFront(const ast::Expr& e, const Expr& truth, Diagnostics& diagnostics) {
  if (!isNumber(*e.a) || !isEquality(*e.b) || isNumber(*e.b->a) == isNumber(*e.b->b))
    return;
  auto text = [&](const ast::Expr* part) { return diagnostics.sources().text(part->range); };
  bool number_first = isNumber(*e.b->a);
  std::string_view left = text(number_first ? e.a : e.b->a), right = text(number_first ? e.b->b : e.a);
  bool holds = truth.type->isFloat() ? truth.value.floating != 0 : truth.value.integer != 0;
  diagnostics.report(Diag::constant_operand, e.a->range, text(e.a), holds ? "true" : "false",
                     fmt::format("{} {} {}", left, ast::spelling(e.b->binary), right));
}

void warnOfConstantOperand(const ast::Expr& e, const Expr& truth, const Expr& value, Diagnostics& diagnostics) {
  const ast::Expr* before = comparisonBefore(e);
  if (!before)
    return warnOfConstantInFront(e, truth, diagnostics);
  bool of_text = e.b->kind == ast::Expr::StringLit && comparesTexts(*before);
  bool is_number = isNumber(*e.b) && (isEquality(*before) || !isSwitch(*e.b));
  if (!is_number && !of_text && !isOfEnum(value, truth))
    return;
  auto text = [&](const ast::Expr* part) { return diagnostics.sources().text(part->range); };
  std::string_view op = ast::spelling(before->binary);
  std::string compared =
      of_text ? fmt::format("strcmp({}, {}) {} {}", text(before->a->args[0]), text(e.b), op, text(before->b))
              : fmt::format("{} {} {}", text(before->a), op, text(e.b));
  // x != 3 || x != 4 always holds, x == 3 && x == 4 never.
  bool needs_other = (before->binary == BinaryOp::Ne && e.binary == BinaryOp::LogicalOr) ||
                     (before->binary == BinaryOp::Eq && e.binary == BinaryOp::LogicalAnd);
  if (needs_other)
    compared = fmt::format("{} {} {}", text(before), e.binary == BinaryOp::LogicalOr ? "&&" : "||", compared);
  bool holds = of_text || (value.type->isFloat() ? value.value.floating != 0 : value.value.integer != 0);
  diagnostics.report(Diag::constant_operand, e.b->range, text(e.b), holds ? "true" : "false", compared);
}

} // namespace bsgp::sema
