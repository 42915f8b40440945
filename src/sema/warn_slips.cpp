// Operators that do something else than they are taken for: 2 ^ 10, x =+ 1, n / 0, z = scan(+, z).
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "sema/constant.h"
#include "sema/instantiate.h"
#include "sema/name_scopes.h"
#include "sema/services.h"
#include "sema/tree_walk.h"
#include "sema/warnings.h"

namespace bsgp::sema {

namespace {

bool isDigits(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

// The power as it is written: of 2 by a shift, of 10 by its digits.
std::string power(std::string_view base, uint64_t exponent) {
  if (base == "2" && exponent < 63)
    return fmt::format("write 1{} << {}, which is {}", exponent < 31 ? "" : "l", exponent, uint64_t(1) << exponent);
  if (base == "10" && exponent < 19)
    return fmt::format("write 1{:0>{}}{}", "", exponent, exponent < 10 ? "" : "l");
  return fmt::format("write pow({}.0, {})", base, exponent);
}

const Expr& withoutCasts(const Expr& e) {
  const Expr* at = &e;
  while (at->kind == Expr::Cast)
    at = at->a;
  return *at;
}

// A call of the library in the value that puts prefixes into this variable; null: there is none.
const Expr* scanInto(const Variable& variable, const Expr& value, const Sema& sema) {
  const Expr& call = withoutCasts(value);
  if (call.kind == Expr::Binary) {
    const Expr* in_left = scanInto(variable, *call.a, sema);
    return in_left ? in_left : scanInto(variable, *call.b, sema);
  }
  if (call.kind != Expr::Call || !call.function->name.starts_with("scan"))
    return nullptr;
  const ast::Function* node = declarationOf(sema, *call.function);
  if (!node || scopeOf(sema, node->range) != Scope::Library)
    return nullptr;
  for (size_t i = 0; i < std::min(call.args.size(), call.function->params.size()); ++i)
    if (const Variable* param = call.function->params[i]; param->by_reference && !param->is_const)
      if (call.args[i]->kind == Expr::Var && call.args[i]->variable == &variable)
        return &call;
  return nullptr;
}

} // namespace

void warnOfPower(const ast::Expr& e, Diagnostics& diagnostics) {
  auto text = [&](const ast::Expr* part) { return diagnostics.sources().text(part->range); };
  bool numbers = e.binary == ast::BinaryOp::BitXor && e.a->kind == ast::Expr::IntLit &&
                 e.b->kind == ast::Expr::IntLit && isDigits(text(e.b));
  if (numbers && (text(e.a) == "2" || text(e.a) == "10"))
    diagnostics.report(Diag::xor_as_power, e.range, text(&e), e.a->integer ^ e.b->integer,
                       power(text(e.a), e.b->integer));
}

// A blank stands behind the sign, and none in front of it.
void warnOfReversedOperator(const ast::Expr& assignment, Diagnostics& diagnostics) {
  const SourceManager& sources = diagnostics.sources();
  if (assignment.kind != ast::Expr::Assign || assignment.has_op || !assignment.range.valid())
    return;
  std::string_view behind = sources.text({assignment.a->range.end, assignment.range.end});
  size_t at = behind.find('=');
  bool reversed = at != std::string_view::npos && at + 2 < behind.size() && behind[at + 2] == ' ' &&
                  (behind[at + 1] == '+' || behind[at + 1] == '-' || behind[at + 1] == '!');
  if (!reversed)
    return;
  std::string_view sign = behind.substr(at + 1, 1), value = behind.substr(at + 2);
  value.remove_prefix(value.find_first_not_of(' '));
  diagnostics.report(Diag::reversed_operator, assignment.range, sign, fmt::format("{}{}", sign, value),
                     sign == "+"   ? "add"
                     : sign == "-" ? "take away"
                                   : "compare");
}

void warnOfDivisionByZero(ast::BinaryOp op, const Expr& dividend, const Expr& divisor, SourceRange range,
                          Diagnostics& diagnostics) {
  ConstValue known;
  bool divides = op == ast::BinaryOp::Div || op == ast::BinaryOp::Rem;
  bool whole = dividend.type->isInt() && divisor.type->isInt();
  if (divides && whole && range.valid() && constantValue(&divisor, known) && !known.integer)
    diagnostics.report(Diag::division_by_zero, range, diagnostics.sources().text(range),
                       "write another divisor: by 0, host code ends the program, and device code gets 0");
}

// 1 / 2, thread.rank / thread.size: quotients of whole numbers that are below 1.
void warnOfLostQuotient(const ast::Expr& e, Diagnostics& diagnostics) {
  auto text = [&](const ast::Expr* part) { return diagnostics.sources().text(part->range); };
  bool of_rank = e.binary == ast::BinaryOp::Div && e.a->kind == ast::Expr::Thread && e.a->name == "rank" &&
                 e.b->kind == ast::Expr::Thread && e.b->name == "size";
  if (of_rank)
    return diagnostics.report(Diag::zero_quotient, e.range, text(&e), fmt::format("(float){}", text(&e)));
  bool numbers = e.binary == ast::BinaryOp::Div && e.a->kind == ast::Expr::IntLit && e.b->kind == ast::Expr::IntLit;
  if (numbers && e.a->integer != 0 && e.a->integer < e.b->integer)
    diagnostics.report(Diag::zero_quotient, e.range, text(&e),
                       fmt::format("{0}.0f / {1}, or {0}.0 / {1} for a double", text(e.a), text(e.b)));
}

// x = x
void warnOfSelfAssignment(const ast::Expr& e, Diagnostics& diagnostics) {
  auto text = [&](const ast::Expr* part) { return diagnostics.sources().text(part->range); };
  bool same = e.kind == ast::Expr::Assign && !e.has_op && e.a->kind == ast::Expr::Name &&
              e.b->kind == ast::Expr::Name && e.a->name == e.b->name;
  if (same)
    diagnostics.report(Diag::self_assignment, e.range, text(e.a));
}

// i = i++, i = ++i
void warnOfChangeInItself(const ast::Expr& e, Diagnostics& diagnostics) {
  bool itself = e.kind == ast::Expr::Assign && !e.has_op && e.a->kind == ast::Expr::Name && isCount(e.b) &&
                e.b->a->kind == ast::Expr::Name && e.b->a->name == e.a->name;
  if (!itself)
    return;
  auto text = [&](const ast::Expr* part) { return diagnostics.sources().text(part->range); };
  bool behind = e.b->unary == ast::UnaryOp::PostInc || e.b->unary == ast::UnaryOp::PostDec;
  diagnostics.report(Diag::changed_twice, e.range, text(&e), e.a->name,
                     behind ? "it gets its old value back" : "the = has no effect", text(e.b));
}

// sizeof(p) / sizeof(p[0]) of a pointer.
void warnOfSizeOfPointer(const ast::Expr& e, const Type& divided, Diagnostics& diagnostics) {
  auto isSize = [](const ast::Expr* part) {
    return part->kind == ast::Expr::SizeofExpr || part->kind == ast::Expr::SizeofType;
  };
  if (e.binary != ast::BinaryOp::Div || !isSize(e.a) || !isSize(e.b) || !divided.isPointer())
    return;
  diagnostics.report(Diag::size_of_pointer, e.range, diagnostics.sources().text(e.a->range));
}

void warnOfLostPrefix(const Expr& target, const Expr& value, SourceRange range, Sema& sema) {
  const Expr* call = target.kind == Expr::Var ? scanInto(*target.variable, value, sema) : nullptr;
  if (!call)
    return;
  std::string_view text = sema.diag.sources().text(call->range);
  sema.warnings.report(Diag::prefix_lost, range, target.variable->name, call->function->name, fmt::format("{};", text),
                       fmt::format("total = {};", text));
}

} // namespace bsgp::sema
