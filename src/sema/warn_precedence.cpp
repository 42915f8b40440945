// Operators that bind as in C, and not as they are read: x & 1 == 2 is x & (1 == 2), 1 << n + 2 is 1 << (n + 2), and 0 < x < 3
// is (0 < x) < 3, a == b == c is (a == b) == c, !x == 3 is (!x) == 3.
//
// Nothing is said where parentheses show what is meant, nor where & | ^ join truths, as they do for vectors.
#include <fmt/format.h>

#include "sema/binary_operators.h"
#include "sema/services.h"
#include "sema/warnings.h"

namespace bsgp::sema {

using ast::BinaryOp;

namespace {

bool isOrder(BinaryOp op) {
  return op >= BinaryOp::Lt && op <= BinaryOp::Ge;
}

bool isBitwise(BinaryOp op) {
  return op == BinaryOp::BitAnd || op == BinaryOp::BitOr || op == BinaryOp::BitXor;
}

// The range of an expression in parentheses is larger than that of its parts.
bool isBare(const ast::Expr* e) {
  return e->kind == ast::Expr::Binary && e->range.valid() && e->range.begin == e->a->range.begin;
}

bool isBareComparison(const ast::Expr* e) {
  return isBare(e) && isComparison(e->binary);
}

bool isBareSum(const ast::Expr* e) {
  return isBare(e) && (e->binary == BinaryOp::Add || e->binary == BinaryOp::Sub);
}

// !x == 3 and !x & 4, beside a number that is no truth.
bool negatesLeftAlone(const ast::Expr& e, const Type& right) {
  bool bare = e.a->kind == ast::Expr::Unary && e.a->unary == ast::UnaryOp::Not && e.a->range.end == e.a->a->range.end;
  return bare && (isComparison(e.binary) || isBitwise(e.binary)) && (right.isInt() || right.isFloat());
}

// 1 << n + 2 and a + b << n.
void warnOfShiftedSum(const ast::Expr& e, Diagnostics& diagnostics) {
  bool of_count = isBareSum(e.b);
  if (!of_count && !isBareSum(e.a))
    return;
  const ast::Expr& sum = of_count ? *e.b : *e.a;
  const ast::Expr* beside = of_count ? sum.a : sum.b; // the term that stands next to the shift
  while (of_count && isBareSum(beside))
    beside = beside->a;
  auto text = [&](SourcePos begin, SourcePos end) { return diagnostics.sources().text(SourceRange{begin, end}); };
  auto [begin, end] = e.range;
  std::string as_it_is = fmt::format("{}({}){}", text(begin, sum.range.begin), text(sum.range.begin, sum.range.end),
                                     text(sum.range.end, end));
  std::string other = of_count
                          ? fmt::format("({}){}", text(begin, beside->range.end), text(beside->range.end, end))
                          : fmt::format("{}({})", text(begin, beside->range.begin), text(beside->range.begin, end));
  diagnostics.report(Diag::shifted_sum, e.range, ast::spelling(sum.binary), ast::spelling(e.binary),
                     text(sum.range.begin, sum.range.end), of_count ? as_it_is : other, of_count ? other : as_it_is);
}

} // namespace

// a < b < c, a == b == c and a < b == 2. A truth that stands behind == or != is compared with one, as in x != y != z of bools.
void warnOfChainedComparison(const ast::Expr& e, const Type& right, Diagnostics& diagnostics) {
  auto isAlike = [&](const ast::Expr* inner) {
    return isBareComparison(inner) && isOrder(inner->binary) == isOrder(e.binary);
  };
  bool with_number = e.b->kind == ast::Expr::IntLit && e.b->integer > 1; // a < b == 2
  bool chained = isComparison(e.binary) && (isAlike(e.a) || (with_number && isBareComparison(e.a)));
  bool of_truths = !isOrder(e.binary) && right.isBool();
  if (!chained || of_truths || isAlike(e.a->a)) // of a < b < c < d the first three are reported
    return;
  auto text = [&](const ast::Expr* part) { return diagnostics.sources().text(part->range); };
  diagnostics.report(Diag::chained_comparison, e.range, text(e.a), text(e.b),
                     fmt::format("{} && {} {} {}", text(e.a), text(e.a->b), ast::spelling(e.binary), text(e.b)));
}

void warnOfPrecedence(const ast::Expr& e, const Type& left, const Type& right, Diagnostics& diagnostics) {
  bool shifts = e.binary == BinaryOp::Shl || e.binary == BinaryOp::Shr;
  if (shifts && laneType(&left)->isInt() && laneType(&right)->isInt())
    return warnOfShiftedSum(e, diagnostics);
  auto text = [&](const ast::Expr* part) { return diagnostics.sources().text(part->range); };
  if (negatesLeftAlone(e, right))
    return diagnostics.report(Diag::precedence, e.range, "!", ast::spelling(e.binary),
                              fmt::format("!({} {} {})", text(e.a->a), ast::spelling(e.binary), text(e.b)), text(e.a));
  if (!isBitwise(e.binary))
    return;
  bool first = isBareComparison(e.a), second = isBareComparison(e.b);
  const Type& other = first ? right : left;
  if (first == second || !laneType(&other)->isInt())
    return;
  const ast::Expr& compared = first ? *e.a : *e.b;
  const char *op = ast::spelling(e.binary), *comparison = ast::spelling(compared.binary);
  std::string meant =
      first ? fmt::format("{} {} ({} {} {})", text(compared.a), comparison, text(compared.b), op, text(e.b))
            : fmt::format("({} {} {}) {} {}", text(e.a), op, text(compared.a), comparison, text(compared.b));
  diagnostics.report(Diag::precedence, e.range, comparison, op, meant, text(&compared));
}

} // namespace bsgp::sema
