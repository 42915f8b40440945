// Quotients of whole numbers that become floating-point numbers at once, without their fraction: float f = n / 10;
//
// A cast says that it is meant, and so does a remainder by the same number beside it: row = i / width, column = i % width.
#include <algorithm>
#include <cstdlib>
#include <map>
#include <numeric>

#include <fmt/format.h>

#include "sema/constant.h"
#include "sema/visit.h"
#include "sema/warnings.h"

namespace bsgp::sema {

namespace {

bool isQuotient(const Expr& e) {
  return e.kind == Expr::Binary && e.op == ast::BinaryOp::Div && e.type->isInt();
}

bool isRemainder(const Expr* e) {
  const Expr* at = e;
  while (at->kind == Expr::Cast)
    at = at->a;
  return at->kind == Expr::Binary && at->op == ast::BinaryOp::Rem;
}

// The quotient that a conversion without a word makes a floating-point number; null: there is none.
const Expr* convertedQuotient(const Expr* value) {
  bool converts = value && value->kind == Expr::Cast && value->type->isFloat() && value->range.valid() &&
                  value->range.begin == value->a->range.begin && value->range.end == value->a->range.end;
  const Expr* quotient = converts ? value->a : nullptr;
  if (quotient && quotient->kind == Expr::Binary && quotient->op == ast::BinaryOp::Mul &&
      quotient->b->kind == Expr::Constant) // hits / n * 100
    quotient = quotient->a;
  return quotient && isQuotient(*quotient) ? quotient : nullptr;
}

// Values of a type that holds all of theirs before the conversion.
const Expr& withoutCasts(const Expr& e) {
  const Expr* at = &e;
  while (at->kind == Expr::Cast && at->a->type->isInt() && at->a->type->bits <= at->type->bits)
    at = at->a;
  return *at;
}

// A dividend as a polynomial of the texts in it, to be computed modulo the divisor.
class Polynomial {
public:
  Polynomial(const Expr& dividend, int64_t divisor, const SourceManager& sources)
      : dividend_(dividend), divisor_(divisor), sources_(sources) {
    collect(dividend);
  }

  // Is it a multiple of the divisor, whatever its variables are?
  bool isMultiple() {
    constexpr int64_t kMostWork = 1 << 18; // terms computed
    if (content(dividend_) == 0)
      return true;
    int64_t tried = 1;
    for (size_t i = 0; i < variables_.size() && tried * terms_ <= kMostWork; ++i)
      tried *= divisor_;
    if (tried * terms_ > kMostWork)
      return false;
    for (int64_t number = 0; number < tried; ++number) {
      int64_t rest = number;
      for (auto& [text, value] : variables_)
        value = rest % divisor_, rest /= divisor_;
      if (residue(dividend_) != 0)
        return false;
    }
    return true;
  }

private:
  static bool combines(const Expr& e) {
    return e.kind == Expr::Binary &&
           (e.op == ast::BinaryOp::Add || e.op == ast::BinaryOp::Sub || e.op == ast::BinaryOp::Mul);
  }

  // The constant that a variable part is multiplied by: 4 of x << 2 and of x & ~3; 1: none is known.
  static int64_t multipleOf(const Expr& e) {
    constexpr int64_t kBits = 30;
    ConstValue known;
    bool by_constant = e.kind == Expr::Binary && (constantValue(e.b, known) || constantValue(e.a, known));
    if (by_constant && e.op == ast::BinaryOp::BitAnd)
      return known.integer & -known.integer & ((int64_t(1) << kBits) - 1);
    bool shifts = e.kind == Expr::Binary && e.op == ast::BinaryOp::Shl && constantValue(e.b, known);
    return shifts && known.integer >= 0 && known.integer < kBits ? int64_t(1) << known.integer : 1;
  }

  // A number that divides each term and the divisor; 0: it is the divisor.
  int64_t content(const Expr& value) const {
    const Expr& e = withoutCasts(value);
    ConstValue known;
    if (constantValue(&e, known))
      return std::gcd(known.integer % divisor_, divisor_) % divisor_;
    if (!combines(e))
      return std::gcd(multipleOf(e), divisor_) % divisor_;
    int64_t a = content(*e.a), b = content(*e.b);
    return e.op == ast::BinaryOp::Mul ? std::gcd(a * b, divisor_) % divisor_
                                      : std::gcd(std::gcd(a, b), divisor_) % divisor_;
  }

  void collect(const Expr& value) {
    const Expr& e = withoutCasts(value);
    ConstValue known;
    ++terms_;
    if (constantValue(&e, known))
      return;
    if (combines(e))
      return collect(*e.a), collect(*e.b);
    variables_.emplace(sources_.text(e.range), 0);
  }

  int64_t residue(const Expr& value) const {
    const Expr& e = withoutCasts(value);
    ConstValue known;
    if (constantValue(&e, known))
      return known.integer % divisor_;
    if (!combines(e))
      return variables_.at(sources_.text(e.range)) * (multipleOf(e) % divisor_) % divisor_;
    int64_t a = residue(*e.a), b = residue(*e.b);
    return (e.op == ast::BinaryOp::Add ? a + b : e.op == ast::BinaryOp::Sub ? a - b : a * b) % divisor_;
  }

  const Expr& dividend_;
  int64_t divisor_;
  const SourceManager& sources_;
  std::map<std::string_view, int64_t> variables_; // with the value that is tried
  int64_t terms_ = 0;
};

// n * 60 / 15, n * (n - 1) * (n - 2) / 6
bool isExact(const Expr& quotient, const SourceManager& sources) {
  constexpr int64_t kLargest = 1 << 14;
  ConstValue divisor;
  if (!constantValue(quotient.b, divisor) || divisor.integer == 0 || std::abs(divisor.integer) > kLargest)
    return false;
  return Polynomial(*quotient.a, std::abs(divisor.integer), sources).isMultiple();
}

// 1 / 2, thread.rank / thread.size: another warning tells of them.
bool isZero(const Expr& quotient) {
  ConstValue known;
  return (constantValue(&quotient, known) && known.integer == 0) ||
         (quotient.a->kind == Expr::ThreadRank && quotient.b->kind == Expr::ThreadSize);
}

class QuotientWalk {
public:
  QuotientWalk(SourceRange function, Diagnostics& diagnostics)
      : begin_(function.begin), function_(diagnostics.sources().text(function)), diagnostics_(diagnostics) {}

  void statement(const Stmt& s) {
    if (s.kind == Stmt::Decl || s.kind == Stmt::Return)
      value(s.expr);
    for (const Expr* e : {s.expr, s.target, s.value, s.step})
      visitExpr(e, [&](const Expr* part) { return expression(*part), true; });
  }

private:
  void expression(const Expr& e) {
    if (e.kind == Expr::Assign || e.kind == Expr::CompoundAssign)
      value(e.b);
    if (e.kind == Expr::Call)
      argumentOfMath(e);
    bool of_places = e.kind == Expr::Construct && std::ranges::any_of(e.args, isRemainder); // float2(i / 9, i / 3 % 3)
    if (e.kind == Expr::Call || (e.kind == Expr::Construct && !of_places) || e.kind == Expr::BuiltinCall)
      std::ranges::for_each(e.args, [&](const Expr* part) { value(part); });
    bool computes = e.kind == Expr::Binary &&
                    (e.op == ast::BinaryOp::Add || e.op == ast::BinaryOp::Sub || e.op == ast::BinaryOp::Mul);
    if (computes || e.kind == Expr::BuiltinCall)
      value(e.a), value(e.b);
    if (e.kind == Expr::Conditional)
      value(e.b), value(e.c);
  }

  // sqrt(hits / n), which the library converts.
  void argumentOfMath(const Expr& call) {
    bool of_number = call.args.size() == 1 && call.function->result->isFloat() && isQuotient(*call.args[0]);
    if (of_number && diagnostics_.sources().ofLibrary(call.function->range))
      quotient(call.args[0], *call.function->result);
  }

  void value(const Expr* e) {
    if (const Expr* converted = convertedQuotient(e))
      quotient(converted, *e->type);
  }

  void quotient(const Expr* quotient, const Type& type) {
    if (!isWrittenCast(*quotient) && !isExact(*quotient, diagnostics_.sources()) && !isZero(*quotient) &&
        !hasRemainder(text(quotient->b)))
      tell(*quotient, type);
  }

  std::string_view text(const Expr* e) const { return diagnostics_.sources().text(e->range); }

  // (float)(a / b), float(a / b), by the text in front of a.
  bool isWrittenCast(const Expr& quotient) const {
    std::string_view before = function_.substr(0, quotient.range.begin - begin_);
    auto takeBlanks = [&] { before.remove_suffix(before.size() - (before.find_last_not_of(" \t\n") + 1)); };
    takeBlanks();
    if (!before.ends_with('('))
      return before.ends_with(')');
    before.remove_suffix(1);
    takeBlanks();
    return before.ends_with("float") || before.ends_with("double") || before.ends_with("half");
  }

  bool hasRemainder(std::string_view divisor) const {
    for (const char* between : {"% ", "%", "%= "})
      if (function_.find(fmt::format("{}{}", between, divisor)) != std::string_view::npos)
        return true;
    return false;
  }

  void tell(const Expr& quotient, const Type& type) {
    std::string_view dividend = text(quotient.a), divisor = text(quotient.b);
    bool digits = type.bits >= 32 && divisor.find_first_not_of("0123456789") == std::string_view::npos;
    std::string other = digits ? fmt::format("{} / {}.0{}", dividend, divisor, type.bits == 32 ? "f" : "")
                               : fmt::format("{} / ({}){}", dividend, typeName(&type), divisor);
    SourceRange bare{quotient.a->range.begin, quotient.b->range.end}; // without parentheses around it
    diagnostics_.report(Diag::integer_quotient, bare, diagnostics_.sources().text(bare), typeWithArticle(&type), other,
                        typeName(&type));
  }

  SourcePos begin_; // of the function's text
  std::string_view function_;
  Diagnostics& diagnostics_;
};

} // namespace

void warnOfQuotients(const Stmt& body, Diagnostics& diagnostics) {
  QuotientWalk walk(body.range, diagnostics);
  forEachStmt(&body, [&](const Stmt* s) { walk.statement(*s); });
}

} // namespace bsgp::sema
