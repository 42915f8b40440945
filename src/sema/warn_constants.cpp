#include "sema/warn_constants.h"

#include <algorithm>
#include <cctype>
#include <cmath>

#include <fmt/format.h>

#include "sema/arguments.h"
#include "sema/body.h"
#include "sema/constant.h"
#include "sema/instantiate.h"
#include "sema/misplaced.h"
#include "sema/warnings.h"

namespace bsgp::sema {

namespace {

enum class Fit : uint8_t { Holds, Sign, Loses }; // Sign: the bits stay, and mean another number

Fit fitOf(const Type* to, const Type* from, ConstValue value) {
  double top = std::ldexp(1.0, to->bits);
  double low = to->is_signed ? -top / 2 : 0, high = to->is_signed ? top / 2 : top;
  if (from->isFloat()) // conversion saturates
    return std::trunc(value.floating) == value.floating && value.floating >= low && value.floating < high ? Fit::Holds
                                                                                                          : Fit::Loses;
  bool beyond_long = from->bits == 64 && !from->is_signed && value.integer < 0;
  if (to->bits == 64)
    return (beyond_long && to->is_signed) || (!beyond_long && value.integer < 0 && !to->is_signed) ? Fit::Sign
                                                                                                   : Fit::Holds;
  double number = beyond_long ? top : double(value.integer);
  if (number < -top / 2 || number >= top)
    return Fit::Loses;
  return number >= low && number < high ? Fit::Holds : Fit::Sign;
}

std::string shown(const Type* type, ConstValue value) {
  if (type->isFloat())
    return type->bits == 64 ? fmt::format("{}", value.floating) : fmt::format("{}", float(value.floating));
  return type->is_signed ? fmt::format("{}", value.integer) : fmt::format("{}", uint64_t(value.integer));
}

// Digits and a sign, and what ends a number; no hexadecimal ones, no name, no operator of bits.
bool isDecimal(std::string_view text) {
  constexpr std::string_view kAllowed = "0123456789 +-()uUlL.";
  return text.find_first_not_of(kAllowed) == std::string_view::npos;
}

// The number that `a op b` is, in `type`; true: it does not fit, and wraps.
bool overflows(ast::BinaryOp op, const Type* type, int64_t a, int64_t b) {
  int64_t exact = 0;
  bool beyond_long = false;
  switch (op) {
  case ast::BinaryOp::Add:
    beyond_long = __builtin_add_overflow(a, b, &exact);
    break;
  case ast::BinaryOp::Sub:
    beyond_long = __builtin_sub_overflow(a, b, &exact);
    break;
  case ast::BinaryOp::Mul:
    beyond_long = __builtin_mul_overflow(a, b, &exact);
    break;
  case ast::BinaryOp::Div: // of the lowest number by -1
    beyond_long = b == -1 && __builtin_sub_overflow(0, a, &exact);
    break;
  default:
    break;
  }
  return beyond_long || fitOf(type, type, {exact, 0}) != Fit::Holds;
}

const char* resultOf(ast::BinaryOp op) {
  return op == ast::BinaryOp::Add   ? "sum"
         : op == ast::BinaryOp::Sub ? "difference"
         : op == ast::BinaryOp::Mul ? "product"
                                    : "quotient";
}

} // namespace

std::string asLong(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789";
  if (text.find_first_not_of(kDigits) == std::string_view::npos)
    return fmt::format("{}l", text);
  bool name =
      std::all_of(text.begin(), text.end(), [](char c) { return isalnum(static_cast<unsigned char>(c)) || c == '_'; });
  return name || text.front() == '(' ? fmt::format("(long){}", text) : fmt::format("(long)({})", text);
}

bool isGeneric(const Body& body) {
  const ast::Function* node = declarationOf(body.sema, body.function);
  return node && (node->of_generic || sema::isGeneric(*node));
}

void warnOfLoss(Body& body, Expr* e, const Type* to, const char* what) {
  const Type* lane = laneType(to);
  ConstValue value, became;
  if (!lane->isInt() || !e->type->isScalar() || e->type->isBool() || body.mode.unevaluated ||
      !constantValue(e, value) || body.sema.diag.sources().ofLibrary(e->range))
    return;
  Fit fit = fitOf(lane, e->type, value);
  bool all_bits = !lane->is_signed && !e->type->isFloat() && value.integer == -1;
  bool meant =
      fit == Fit::Sign && (all_bits || !e->range.valid() || isGeneric(body) || !isDecimal(sourceText(body, e->range)));
  if (fit == Fit::Holds || meant)
    return;
  Expr* c = body.sema.nodes.make(Expr::Cast, lane, e->range);
  c->a = e;
  if (constantValue(c, became))
    body.sema.diag.report(Diag::constant_changes, e->range, what, shown(e->type, value), shown(lane, became),
                          typeName(lane));
}

void warnOfShift(const Type& shifted, const Expr& count, SourceRange range, Diagnostics& diagnostics) {
  const Type& lane = *laneType(&shifted);
  ConstValue by;
  bool known = range.valid() && count.type->isInt() && constantValue(&count, by);
  if (!known || (by.integer >= 0 && by.integer < lane.bits))
    return;
  diagnostics.report(Diag::shift_count, range, typeWithArticle(&shifted), unsigned(lane.bits), shown(count.type, by),
                     by.integer & (lane.bits - 1),
                     by.integer < 0   ? "a shift the other way has the other operator, << or >>"
                     : lane.bits < 64 ? "shift a longer number, as (long)x << n, or by fewer places"
                                      : "shift by 0 to 63 places");
}

// Unsigned numbers are meant to wrap. In an instance of a generic function the numbers that are written count alone: the
// others are of this instance's types.
void warnOfOverflow(const Expr& binary, bool is_generic, Diagnostics& diagnostics) {
  const Type* type = binary.type;
  ConstValue a, b, wrapped;
  bool known = type->isInt() && type->is_signed && binary.range.valid() && constantValue(binary.a, a) &&
               constantValue(binary.b, b) && constantValue(&binary, wrapped);
  if (!known || !overflows(binary.op, type, a.integer, b.integer) || diagnostics.sources().ofLibrary(binary.range))
    return;
  auto text = [&](const Expr* part) { return diagnostics.sources().text(part->range); };
  std::string_view left = text(binary.a), right = text(binary.b);
  if (left.empty() || right.empty() || (is_generic && !isDecimal(diagnostics.sources().text(binary.range))))
    return;
  diagnostics.report(
      Diag::constant_overflow, binary.range, resultOf(binary.op), typeWithArticle(type), shown(type, wrapped),
      type->bits < 64 ? fmt::format("write {} {} {} for a long; a uint wraps and is silent", asLong(left),
                                    ast::spelling(binary.op), right)
                      : std::string("no whole number is larger: take a double; a ulong wraps and is silent"));
}

} // namespace bsgp::sema
