// Sums of ints that the library computes as ints, and that become longs behind that: long l = reduce(+, x);
//
// Sums of truths, and of other numbers that are 0 or 1, count threads and are silent. So are those of arrays and lists, whose
// elements would have to be widened first.
#include <algorithm>
#include <cstdlib>

#include <fmt/format.h>

#include "sema/constant.h"
#include "sema/services.h"
#include "sema/visit.h"
#include "sema/warnings.h"

namespace bsgp::sema {

namespace {

// From -1 to 1, as far as the expression itself shows.
bool isSmall(const Expr& e) {
  ConstValue known;
  if (e.type->isBool())
    return true;
  if (!e.type->isInt())
    return false;
  if (constantValue(&e, known))
    return std::abs(known.integer) <= 1;
  switch (e.kind) {
  case Expr::Cast:
    return isSmall(*e.a);
  case Expr::Conditional:
    return isSmall(*e.b) && isSmall(*e.c);
  case Expr::Binary:
    return (e.op == ast::BinaryOp::BitAnd &&
            ((constantValue(e.a, known) && known.integer == 1) || (constantValue(e.b, known) && known.integer == 1))) ||
           (e.op == ast::BinaryOp::Rem && constantValue(e.b, known) && std::abs(known.integer) == 2);
  default:
    return false;
  }
}

class WidenedWalk {
public:
  explicit WidenedWalk(Sema& sema) : sema_(sema) {}

  void expression(const Expr& e) {
    const Expr* call = e.kind == Expr::Cast ? e.a : nullptr;
    bool widens = call && call->kind == Expr::Call && e.type->isInt() && e.type->bits == 64 && call->type->isInt() &&
                  call->type->bits == 32 && call->range.valid();
    if (widens && sema_.instances.int_sums.contains(call->function) && sumsValues(*call) && !isSmall(*call->args[0]))
      tell(*call, *e.type);
  }

private:
  // reduce(+, x) of threads. A scan leaves ints in x in any case, and a block has few threads.
  static bool sumsValues(const Expr& call) {
    return call.args.size() == 1 && call.function->family != ast::Family::Block && call.args[0]->type->isInt() &&
           !call.function->params[0]->by_reference;
  }

  std::string_view text(SourceRange range) const { return sema_.diag.sources().text(range); }

  // reduce(+, (long)x)
  std::string helpFor(const Expr& call, const Type& type) const {
    const Expr& summed = *call.args[0];
    bool plain = summed.kind == Expr::Var || summed.kind == Expr::Index || summed.kind == Expr::Field;
    std::string_view value = text(summed.range);
    return fmt::format("write {}{}{}", text({call.range.begin, summed.range.begin}),
                       plain ? fmt::format("({}){}", typeName(&type), value)
                             : fmt::format("({})({})", typeName(&type), value),
                       text({summed.range.end, call.range.end}));
  }

  void tell(const Expr& call, const Type& type) {
    sema_.warnings.report(Diag::sum_widened, call.range, text(call.range), typeName(call.type), typeWithArticle(&type),
                          helpFor(call, type));
  }

  Sema& sema_;
};

} // namespace

void warnOfWidenedSums(const Stmt& body, Sema& sema) {
  WidenedWalk walk(sema);
  forEachExprIn(&body, [&](const Expr* e) { walk.expression(*e); });
}

} // namespace bsgp::sema
