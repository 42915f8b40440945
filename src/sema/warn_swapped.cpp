// Arguments of the library in each other's place: numbers and conditions fit there, too.
#include <algorithm>

#include <fmt/format.h>

#include "sema/constant.h"
#include "sema/instantiate.h"
#include "sema/name_scopes.h"
#include "sema/services.h"
#include "sema/warnings.h"

namespace bsgp::sema {

namespace {

using Arguments = std::span<const Argument>;

// fill(p, 0, n), fill(p, ' ', n): no elements, or as many as a fraction or a character says.
bool countsNothing(Arguments arguments, const SourceManager& sources) {
  const Expr *count = arguments[1].value, *value = arguments[2].value;
  ConstValue known;
  if (!value->type->isInt())
    return false;
  auto isCharacter = [&](size_t i) { return sources.text(arguments[i].range).starts_with('\''); };
  if (count->type->isFloat() || (isCharacter(1) && !isCharacter(2)))
    return true;
  if (!constantValue(count, known))
    return false;
  ConstValue other;
  return count->type->isInt() && known.integer <= 0 && !(constantValue(value, other) && other.integer <= 0);
}

// compact(l, x > 3, x, flag): a condition is appended where a number is not 0.
bool appendsCondition(Arguments arguments, const SourceManager& /*sources*/) {
  const Type *list = arguments[0].value->type, *what = arguments[1].value->type, *whether = arguments[2].value->type;
  return list->isDList() && !list->element->isBool() && what->isBool() && !whether->isBool();
}

struct Order {
  std::string_view name;
  size_t arguments;
  const char *second, *third; // these are, in the order in which they stand
  bool (*isOdd)(Arguments, const SourceManager&);
};

constexpr Order kOrders[] = {{"fill", 3, "the count", "the value", countsNothing},
                             {"compact", 4, "the value", "the condition", appendsCondition},
                             {"split", 4, "the value", "the condition", appendsCondition}};

} // namespace

bool warnOfSwapped(const Function& function, Arguments arguments, SourceRange range, Sema& sema) {
  for (const Order& order : kOrders) {
    auto hasValue = [](const Argument& argument) { return argument.value != nullptr; };
    bool meant = function.name == order.name && arguments.size() == order.arguments &&
                 std::ranges::all_of(arguments, hasValue) && order.isOdd(arguments, sema.diag.sources());
    const ast::Function* node = meant ? declarationOf(sema, function) : nullptr;
    if (!node || scopeOf(sema, node->range) != Scope::Library)
      continue;
    auto text = [&](size_t i) { return sema.diag.sources().text(arguments[i].range); };
    std::string call = fmt::format("{}({}, {}, {}", order.name, text(0), text(2), text(1));
    for (size_t i = 3; i < arguments.size(); ++i)
      call += fmt::format(", {}", text(i));
    call += ")";
    sema.warnings.report(Diag::arguments_swapped, range, text(1), order.second, text(2), order.third, call);
    return true;
  }
  return false;
}

} // namespace bsgp::sema
