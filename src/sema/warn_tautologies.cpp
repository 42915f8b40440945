// Comparisons that have one answer: with a number that a type does not hold, of a place with itself, of the addresses of two arrays.
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
  if (!is_value || !isPlainPlace(*e.a) || text(e.a) != text(e.b) || constantValue(&left, known))
    return;
  if (const char* result = resultOfSame(e.binary, *left.type))
    diagnostics.report(Diag::same_operands, e.range, text(&e), result, "write another value in place of one of them");
}

namespace {

struct NumberTest {
  BinaryOp op;
  int64_t number;
  const ast::Expr* place;
};

// x == 3, of a whole number x and a number that is written behind it.
std::optional<NumberTest> numberTest(const ast::Expr& e, const Expr& typed) {
  bool compares = e.kind == ast::Expr::Binary && isComparison(e.binary) && typed.kind == Expr::Binary;
  ConstValue number, known;
  if (!compares || !typed.a->type->isInt() || !isPlainPlace(*e.a) || !constantValue(typed.b, number) ||
      constantValue(typed.a, known))
    return std::nullopt;
  bool near = number.integer > INT32_MIN && number.integer < INT32_MAX;
  return near ? std::optional(NumberTest{e.binary, number.integer, e.a}) : std::nullopt;
}

bool holds(const NumberTest& test, int64_t x) {
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

// The answer of both tests of one place together, if there is one: it can change at the two numbers alone.
std::optional<bool> answerOfBoth(const NumberTest& a, const NumberTest& b, bool is_and) {
  unsigned held = 0, asked = 0;
  for (int64_t near : {a.number, b.number})
    for (int64_t x = near - 1; x <= near + 1; ++x, ++asked)
      held += is_and ? holds(a, x) && holds(b, x) : holds(a, x) || holds(b, x);
  return held == asked ? std::optional(true) : held == 0 ? std::optional(false) : std::nullopt;
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
  if (!known)
    return;
  bool other_differs = !answerOfBoth(*a, *b, !is_and);
  diagnostics.report(Diag::contradiction, e.range, text(&e), *known, text(a->place),
                     other_differs ? fmt::format("write {} in place of {}", is_and ? "||" : "&&", is_and ? "&&" : "||")
                                   : std::string("write another number in place of one of them"));
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
  if (text(e.a) != text(e.b))
    diagnostics.report(Diag::array_addresses, e.range, text(&e),
                       fmt::format("compare them one by one, in a loop: {}[i] {} {}[i]", text(e.a),
                                   ast::spelling(e.binary), text(e.b)));
}

} // namespace bsgp::sema
