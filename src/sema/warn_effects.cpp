// Statements that change nothing.
#include <algorithm>

#include "sema/warnings.h"

namespace bsgp::sema {

bool hasEffect(const Expr& e, const std::function<bool(const Expr& call)>& pure) {
  if (e.type->isVoid() || e.type->isError())
    return true;
  switch (e.kind) {
  case Expr::Assign:
  case Expr::CompoundAssign:
  case Expr::IncDec:
    return true;
  case Expr::Call:
    if (!pure(e))
      return true;
    break;
  case Expr::BuiltinCall:
    if (e.builtin >= Builtin::Printf)
      return true;
    break;
  default:
    break;
  }
  auto has = [&](const Expr* part) { return part && hasEffect(*part, pure); };
  return has(e.a) || has(e.b) || has(e.c) || std::any_of(e.args.begin(), e.args.end(), has);
}

} // namespace bsgp::sema
