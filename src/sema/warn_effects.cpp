// Statements, and left operands of commas, that change nothing.
#include <algorithm>

#include "sema/instantiate.h"
#include "sema/services.h"
#include "sema/traits.h"
#include "sema/warnings.h"

namespace bsgp::sema {

namespace {

// Functions of the library that host code calls for one value of an array or a list.
bool onlyReads(const Function& function) {
  constexpr std::string_view kNames[] = {"reduce", "count", "count_if"};
  return std::ranges::find(kNames, function.name) != std::end(kNames);
}

// A call of the library that only makes a value, of values.
bool isPure(const Expr& call, Sema& sema) {
  const Function& function = *call.function;
  const ast::Function* node = declarationOf(sema, function);
  if (!node || scopeOf(sema, node->range) != Scope::Library || function.result->isVoid() || function.params.empty())
    return false;
  if (onlyReads(function))
    return true;
  bool values = std::all_of(function.params.begin(), function.params.end(), [](const Variable* p) {
    return (p->type->isScalar() || p->type->isVector()) && (!p->by_reference || p->is_const);
  });
  return values &&
         (isMath(sema, *node) || (function.collective && function.host_result && !mayChangeThreads(function)));
}

// True if it changes anything, or if its result is no value.
bool hasEffect(const Expr& e, Sema& sema) {
  if (e.type->isVoid() || e.type->isError())
    return true;
  switch (e.kind) {
  case Expr::Assign:
  case Expr::CompoundAssign:
  case Expr::IncDec:
    return true;
  case Expr::Call:
    if (!isPure(e, sema))
      return true;
    break;
  case Expr::BuiltinCall:
    if (e.builtin >= Builtin::Printf && e.builtin != Builtin::Peek)
      return true;
    break;
  default:
    break;
  }
  auto has = [&](const Expr* part) { return part && hasEffect(*part, sema); };
  return has(e.a) || has(e.b) || has(e.c) || std::any_of(e.args.begin(), e.args.end(), has);
}

// The operand of a comma that gives its value.
const Expr& lastOf(const Expr& value) {
  return value.kind == Expr::Comma ? *value.b : value;
}

} // namespace

// If `left` is a comma itself, its own left operand was judged with it, so that the last operand alone is judged here.
void warnOfDropped(const Expr& left, Sema& sema) {
  const Expr& dropped = lastOf(left);
  if (dropped.range.valid() && !hasEffect(dropped, sema))
    sema.warnings.report(Diag::no_effect, dropped.range,
                         "a comma gives what stands behind it; a vector is made by its type: float3(a, b, c)",
                         "this operand of a comma");
}

void warnOfNoEffect(const Expr& statement, Sema& sema) {
  const Expr& value = lastOf(statement);
  if (hasEffect(value, sema))
    return;
  if (value.kind == Expr::Call)
    return sema.warnings.report(Diag::unused_result, value.range, value.function->name);
  if (value.kind == Expr::BuiltinCall && value.builtin == Builtin::Peek)
    return sema.warnings.report(Diag::unused_result, value.range, "peek");
  bool compares = value.kind == Expr::Binary && value.op == ast::BinaryOp::Eq;
  sema.warnings.report(Diag::no_effect, value.range,
                       compares ? "== compares; one = assigns" : "it makes a value, and nobody takes it",
                       "this statement");
}

} // namespace bsgp::sema
