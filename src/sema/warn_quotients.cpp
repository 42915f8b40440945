// Quotients of whole numbers that become floating-point numbers at once, without their fraction: float f = n / 10;
//
// A cast says that it is meant, and so does a remainder by the same number beside it: row = i / width, column = i % width.
#include <algorithm>

#include <fmt/format.h>

#include "sema/constant.h"
#include "sema/visit.h"
#include "sema/warnings.h"

namespace bsgp::sema {

namespace {

// The quotient that a conversion without a word makes a floating-point number; null: there is none.
const Expr* convertedQuotient(const Expr* value) {
  bool converts = value && value->kind == Expr::Cast && value->type->isFloat() && value->range.valid() &&
                  value->range.begin == value->a->range.begin && value->range.end == value->a->range.end;
  const Expr* quotient = converts ? value->a : nullptr;
  bool divides = quotient && quotient->kind == Expr::Binary && quotient->op == ast::BinaryOp::Div;
  return divides && quotient->type->isInt() ? quotient : nullptr;
}

bool isExact(const Expr& quotient) {
  ConstValue a, b;
  return constantValue(quotient.a, a) && constantValue(quotient.b, b) && b.integer && a.integer % b.integer == 0;
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
      std::ranges::for_each(e.args, [&](const Expr* argument) { value(argument); });
  }

  void value(const Expr* e) {
    const Expr* quotient = convertedQuotient(e);
    if (quotient && !isWrittenCast(*quotient) && !isExact(*quotient) && !isZero(*quotient) &&
        !hasRemainder(text(quotient->b)))
      tell(*quotient, *e->type);
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
