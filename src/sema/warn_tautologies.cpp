// Comparisons that have one answer: with a number that a type does not hold, of a place with itself, of the addresses of two arrays.
#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "sema/binary_operators.h"
#include "sema/constant.h"
#include "sema/services.h"
#include "sema/warnings.h"

namespace bsgp::sema {

using ast::BinaryOp;

namespace {

BinaryOp mirrored(BinaryOp op) {
  switch (op) {
  case BinaryOp::Lt:
    return BinaryOp::Gt;
  case BinaryOp::Gt:
    return BinaryOp::Lt;
  case BinaryOp::Le:
    return BinaryOp::Ge;
  case BinaryOp::Ge:
    return BinaryOp::Le;
  default:
    return op;
  }
}

struct Range {
  int64_t low, high;
};

Range rangeOf(const Type& type) {
  if (type.isBool())
    return {0, 1};
  int64_t half = int64_t(1) << (type.bits - 1);
  return type.is_signed ? Range{-half, half - 1} : Range{0, 2 * half - 1};
}

// The answer of `v op number` for all v in the range, if there is one.
std::optional<bool> answer(BinaryOp op, Range range, int64_t number) {
  bool above = number > range.high, below = number < range.low;
  bool highest = number == range.high, lowest = number == range.low;
  switch (op) {
  case BinaryOp::Eq:
  case BinaryOp::Ne:
    return above || below ? std::optional(op == BinaryOp::Ne) : std::nullopt;
  case BinaryOp::Lt:
    return above ? std::optional(true) : below || lowest ? std::optional(false) : std::nullopt;
  case BinaryOp::Le:
    return above || highest ? std::optional(true) : below ? std::optional(false) : std::nullopt;
  case BinaryOp::Gt:
    return above || highest ? std::optional(false) : below ? std::optional(true) : std::nullopt;
  default:
    return above ? std::optional(false) : below || lowest ? std::optional(true) : std::nullopt;
  }
}

// A truth that is computed here: other warnings tell of those that are compared with numbers.
bool isComputedTruth(const Expr& e) {
  return e.type->isBool() && e.kind != Expr::Var && e.kind != Expr::Field && e.kind != Expr::Index;
}

std::string helpFor(const Type& type, int64_t number) {
  if (type.isBool())
    return "a bool is true or false: compare a number";
  const char* wider = number >= INT32_MIN && number <= INT32_MAX ? "int" : "long";
  if (number < 0 && !type.is_signed)
    return fmt::format("take a type with a sign, as {}", wider);
  return fmt::format("take a wider type, as {}", wider);
}

// A place that reading does not change: a variable, a field, an element.
bool isPlainPlace(const ast::Expr& e) {
  switch (e.kind) {
  case ast::Expr::Name:
    return true;
  case ast::Expr::Thread:
    return e.name == "rank" || e.name == "size";
  case ast::Expr::Member:
  case ast::Expr::Arrow:
    return isPlainPlace(*e.a);
  case ast::Expr::Index:
    return e.args.empty() && isPlainPlace(*e.a) && (isPlainPlace(*e.b) || e.b->kind == ast::Expr::IntLit);
  default:
    return false;
  }
}

// The same place, both plain. Trees of other front ends have several nodes at one place of the text, so texts say nothing.
bool isSamePlace(const ast::Expr& a, const ast::Expr& b) {
  if (a.kind != b.kind || a.name != b.name)
    return false;
  if (a.kind == ast::Expr::IntLit)
    return a.integer == b.integer;
  return (!a.a || isSamePlace(*a.a, *b.a)) && (!a.b || isSamePlace(*a.b, *b.b));
}

// The result of `x op x`; null: it depends on x.
const char* resultOfSame(BinaryOp op, const Type& type) {
  bool may_be_nan = laneType(&type)->isFloat();
  if (op == BinaryOp::Lt || op == BinaryOp::Gt)
    return "false";
  bool compares = isComparison(op) && !may_be_nan;
  return !compares ? nullptr : op == BinaryOp::Ne ? "false" : "true";
}

} // namespace

void warnOfOutsideOfType(const ast::Expr& e, const Expr& left, const Expr& right, Diagnostics& diagnostics) {
  ConstValue a, b;
  bool left_known = constantValue(&left, a), right_known = constantValue(&right, b);
  if (!isComparison(e.binary) || left_known == right_known)
    return;
  const Expr &variable = left_known ? right : left, &constant = left_known ? left : right;
  const Type &type = *variable.type, &other = *constant.type;
  bool narrower = (type.isBool() || type.isInt()) && other.isInt() && (type.bits < 32 || type.bits < other.bits);
  bool wraps = type.is_signed && !other.is_signed && other.bits >= 32; // a negative one becomes a large number
  if (!narrower || wraps || isComputedTruth(variable))
    return;
  int64_t number = left_known ? a.integer : b.integer;
  if (!other.is_signed && number < 0) // above every long
    number = INT64_MAX;
  bool never_negative = !type.is_signed && !type.isBool() && number == 0;
  Range range = rangeOf(type);
  std::optional<bool> known = answer(left_known ? mirrored(e.binary) : e.binary, range, number);
  if (known && !never_negative)
    diagnostics.report(Diag::outside_of_type, e.range, diagnostics.sources().text(e.range), *known ? "true" : "false",
                       typeWithArticle(&type), range.low, range.high, helpFor(type, number));
}

void warnOfSameOperands(const ast::Expr& e, const Expr& left, Diagnostics& diagnostics) {
  auto text = [&](const ast::Expr* part) { return diagnostics.sources().text(part->range); };
  ConstValue known;
  bool is_value = left.type->isScalar() || left.type->isVector() || left.type->isPointer();
  if (!is_value || !isPlainPlace(*e.a) || !isPlainPlace(*e.b) || !isSamePlace(*e.a, *e.b) ||
      constantValue(&left, known))
    return;
  if (const char* result = resultOfSame(e.binary, *left.type))
    diagnostics.report(Diag::same_operands, e.range, text(&e), result, "write another value in place of one of them");
}

namespace {

// The numbers that n % 3 can be.
std::optional<Range> rangeOfRemainder(const Expr& e, const ConstValue& divisor) {
  int64_t most = std::abs(divisor.integer) - 1;
  bool sensible = e.type->isInt() && divisor.integer > INT32_MIN && divisor.integer <= INT32_MAX && most > 0;
  return sensible ? std::optional(Range{e.type->is_signed ? -most : 0, most}) : std::nullopt;
}

bool isNumberWritten(const ast::Expr& e) {
  bool negative = e.kind == ast::Expr::Unary && e.unary == ast::UnaryOp::Neg;
  const ast::Expr& digits = negative ? *e.a : e;
  return digits.kind == ast::Expr::IntLit || digits.kind == ast::Expr::CharLit;
}

// n % 3 == 3, n % m == m of a constant m
void warnOfRemainder(const ast::Expr& e, const Expr& remainder, int64_t number, Diagnostics& diagnostics) {
  auto text = [&](const ast::Expr* part) { return diagnostics.sources().text(part->range); };
  ConstValue divisor;
  bool known = constantValue(remainder.b, divisor);
  std::optional<Range> range = known ? rangeOfRemainder(remainder, divisor) : std::nullopt;
  std::optional<bool> result = range ? answer(e.binary, *range, number) : std::nullopt;
  bool never_negative = number == 0 && !remainder.type->is_signed;
  if (!result || never_negative)
    return;
  bool of_divisor = (e.binary == BinaryOp::Eq || e.binary == BinaryOp::Ne) && number == divisor.integer;
  diagnostics.report(Diag::outside_of_result, e.range, text(&e), *result ? "true" : "false",
                     fmt::format("'{}' is from {} to {}", text(e.a), range->low, range->high),
                     of_divisor ? fmt::format("write {} {} 0 for the multiples of {}", text(e.a),
                                              ast::spelling(e.binary), text(e.a->b))
                                : fmt::format("compare it with a number from {} to {}", range->low, range->high));
}

// (x & 6) == 1, (x | 1) == 2
void warnOfMask(const ast::Expr& e, const Expr& masked, int64_t number, Diagnostics& diagnostics) {
  auto text = [&](const ast::Expr* part) { return diagnostics.sources().text(part->range); };
  ConstValue mask;
  bool equality = e.binary == BinaryOp::Eq || e.binary == BinaryOp::Ne;
  if (!equality || !constantValue(masked.b, mask))
    return;
  bool keeps = masked.op == BinaryOp::BitAnd;
  bool can_be = keeps ? (number & ~mask.integer) == 0 : (mask.integer & ~number) == 0;
  if (can_be)
    return;
  std::string_view bare = diagnostics.sources().text(SourceRange{e.a->a->range.begin, e.a->b->range.end});
  diagnostics.report(Diag::outside_of_result, e.range, text(&e), e.binary == BinaryOp::Ne ? "true" : "false",
                     fmt::format("'{}' has {} {}", bare, keeps ? "no bits but those of" : "all bits of", text(e.a->b)),
                     keeps ? "compare it with a number of these bits alone"
                           : "compare it with a number that has these bits");
}

} // namespace

void warnOfOutsideOfResult(const ast::Expr& e, const Expr& left, const Expr& right, Diagnostics& diagnostics) {
  ConstValue number, known;
  bool compares = isComparison(e.binary) && e.a->kind == ast::Expr::Binary && left.kind == Expr::Binary &&
                  left.type->isInt() && right.type->isInt() && constantValue(&right, number) &&
                  !constantValue(&left, known);
  if (!compares)
    return;
  bool all_written = isNumberWritten(*e.a->b) && isNumberWritten(*e.b);
  bool same = diagnostics.sources().text(e.a->b->range) == diagnostics.sources().text(e.b->range);
  if (!all_written && !same) // a constant that has a name may be another one at another time
    return;
  if (left.op == BinaryOp::Rem)
    warnOfRemainder(e, left, number.integer, diagnostics);
  if (left.op == BinaryOp::BitAnd || left.op == BinaryOp::BitOr)
    warnOfMask(e, left, number.integer, diagnostics);
}

namespace {

struct NumberTest {
  BinaryOp op;
  double number;
  const ast::Expr* place;
  bool of_float;
};

// x == 3 and 3 == x, of a number x and one that is written.
std::optional<NumberTest> numberTest(const ast::Expr& e, const Expr& typed) {
  if (e.kind != ast::Expr::Binary || !isComparison(e.binary) || typed.kind != Expr::Binary)
    return std::nullopt;
  ConstValue left, right;
  bool number_first = constantValue(typed.a, left), number_behind = constantValue(typed.b, right);
  const ast::Expr* place = number_first ? e.b : e.a;
  const Type& type = *typed.a->type;
  if (number_first == number_behind || !isPlainPlace(*place) || !(type.isInt() || type.isFloat()))
    return std::nullopt;
  const ConstValue& known = number_first ? left : right;
  double number = type.isFloat() ? known.floating : double(known.integer);
  bool near = type.isFloat() ? std::isfinite(number) : number > INT32_MIN && number < INT32_MAX;
  return near ? std::optional(NumberTest{number_first ? mirrored(e.binary) : e.binary, number, place, type.isFloat()})
              : std::nullopt;
}

bool holds(const NumberTest& test, double x) {
  switch (test.op) {
  case BinaryOp::Eq:
    return x == test.number;
  case BinaryOp::Ne:
    return x != test.number;
  case BinaryOp::Lt:
    return x < test.number;
  case BinaryOp::Le:
    return x <= test.number;
  case BinaryOp::Gt:
    return x > test.number;
  default:
    return x >= test.number;
  }
}

// The values that stand for all others in tests with these two numbers, at which alone the answer can change.
std::vector<double> samples(const NumberTest& a, const NumberTest& b) {
  if (a.of_float || b.of_float)
    return {-INFINITY, a.number, std::midpoint(a.number, b.number), b.number, INFINITY};
  return {a.number - 1, a.number, a.number + 1, b.number - 1, b.number, b.number + 1};
}

// The answer of both tests of one place together, if there is one for all numbers.
std::optional<bool> answerOfBoth(const NumberTest& a, const NumberTest& b, bool is_and) {
  std::vector<double> all = samples(a, b);
  auto held = std::ranges::count_if(
      all, [&](double x) { return is_and ? holds(a, x) && holds(b, x) : holds(a, x) || holds(b, x); });
  return held == std::ssize(all) ? std::optional(true) : held == 0 ? std::optional(false) : std::nullopt;
}

} // namespace

// x != 1 || x != 2, x > 5 && x < 3
void warnOfContradiction(const ast::Expr& e, const Expr& left, const Expr& right, Diagnostics& diagnostics) {
  std::optional<NumberTest> a = numberTest(*e.a, left), b = numberTest(*e.b, right);
  auto text = [&](const ast::Expr* part) { return diagnostics.sources().text(part->range); };
  if (!a || !b || text(a->place) != text(b->place) || (a->op == b->op && a->number == b->number))
    return;
  bool is_and = e.binary == BinaryOp::LogicalAnd;
  std::optional<bool> known = answerOfBoth(*a, *b, is_and);
  bool differs_for_nan = a->of_float && known == true && !holds(*a, NAN) && !holds(*b, NAN);
  bool asks_for_nan = differs_for_nan && a->number == b->number; // x > 0 || x <= 0
  if (!known || asks_for_nan)
    return;
  bool other_differs = !answerOfBoth(*a, *b, !is_and);
  diagnostics.report(Diag::contradiction, e.range, text(&e), *known, text(a->place),
                     other_differs ? fmt::format("write {} in place of {}", is_and ? "||" : "&&", is_and ? "&&" : "||")
                                   : std::string("write another number in place of one of them"),
                     differs_for_nan ? ", but for a NaN" : "");
}

// x == 0.1 of a float: it holds no such number.
void warnOfFloatComparison(const ast::Expr& e, const Expr& left, const Expr& right, Diagnostics& diagnostics) {
  bool equality = e.binary == BinaryOp::Eq || e.binary == BinaryOp::Ne;
  const ast::Expr& literal = e.b->kind == ast::Expr::FloatLit ? *e.b : *e.a;
  const Type& type = e.b->kind == ast::Expr::FloatLit ? *left.type : *right.type;
  bool of_float = type.isFloat() && type.bits == 32 && literal.kind == ast::Expr::FloatLit &&
                  (literal.literal_bits == 0 || literal.literal_bits == 64);
  auto text = [&](const ast::Expr* part) { return diagnostics.sources().text(part->range); };
  if (!equality || !of_float || double(float(literal.floating)) == literal.floating)
    return;
  diagnostics.report(Diag::float_comparison, e.range, text(&e), e.binary == BinaryOp::Ne ? "true" : "false",
                     text(&literal), fmt::format("{}", double(float(literal.floating))));
}

void warnOfArrayAddresses(const ast::Expr& e, const Expr& left, const Expr& right, Diagnostics& diagnostics) {
  if (!isComparison(e.binary) || left.kind != Expr::Decay || right.kind != Expr::Decay)
    return;
  auto text = [&](const ast::Expr* part) { return diagnostics.sources().text(part->range); };
  if (!isPlainPlace(*e.b) || !isSamePlace(*e.a, *e.b))
    diagnostics.report(Diag::array_addresses, e.range, text(&e),
                       fmt::format("compare them one by one, in a loop: {}[i] {} {}[i]", text(e.a),
                                   ast::spelling(e.binary), text(e.b)));
}

} // namespace bsgp::sema
