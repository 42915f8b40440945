#include "sema/narrow_sums.h"

#include <fmt/format.h>

#include "sema/body.h"
#include "sema/expr_calls.h"
#include "sema/expr_identity.h"
#include "sema/expr_operators.h"
#include "sema/expressions.h"
#include "sema/name_scopes.h"

namespace bsgp::sema {

namespace {

bool addsOrMultiplies(ast::BinaryOp op) {
  return op == ast::BinaryOp::Add || op == ast::BinaryOp::Mul;
}

// f(a, b) { return a + b; }
bool isSum(const ast::Function& function) {
  if (!function.body || function.body->stmts.size() != 1 || function.body->stmts[0]->kind != ast::Stmt::Return)
    return false;
  const ast::Expr* value = function.body->stmts[0]->expr;
  return value && value->kind == ast::Expr::Binary && addsOrMultiplies(value->binary);
}

} // namespace

static bool usesAll(const Sema& sema, const Callable& op, const Type* type);
static Expr* uses(Body& body, const ast::Expr* value, SourceRange range);

static bool sums(const Sema& sema, const Callable& op) {
  if (op.is_operator)
    return addsOrMultiplies(op.op);
  Overloads set = overloads(sema, op.name, op.scope);
  return set.size() == 1 && isSum(*set[0]);
}

// True if op makes a wider type of two bools, as + does.
static bool widensBools(Body& body, const Callable& op, SourceRange range) {
  Expr* one = number(body, 1, body.sema.types.bool_, range);
  ++body.mode.unevaluated;
  Expr* value = nullptr;
  if (op.is_operator) {
    value = binaryOn(body, op.op, one, one, range);
  } else {
    Argument argument;
    argument.value = one, argument.range = range;
    value = callFrom(body, op.scope, op.name, {argument, argument}, range);
  }
  --body.mode.unevaluated;
  return !value->type->isError() && !value->type->isBool();
}

// __counts(op, x), in the library: true if x is a bool, and the sum of two by op is wider.
// __sums(op, x): says that the function combines values of x's type by op, and keeps results in that type.
// __combines(op, x): also says that it combines this one, if not in this thread.
// Null if it is no such built-in function.
Expr* sumBuiltin(Body& body, std::string_view name, const ast::Expr* e) {
  if (name != "__counts" && name != "__sums" && name != "__combines")
    return nullptr;
  Callable op;
  const Type* type = nullptr;
  if (Expr* wrong = operatorAndType(body, name, e, op, type))
    return wrong;
  bool counts = type->isBool() && widensBools(body, op, e->range);
  if (name == "__counts")
    return number(body, counts, body.sema.types.bool_, e->range);
  const Type* lane = laneType(type);
  if (counts || (lane->isInt() && lane->bits < 32 && sums(body.sema, op)))
    body.sema.instances.narrow_sums[&body.function] = type;
  if (!counts && type->isInt() && lane->bits == 32 && sums(body.sema, op))
    body.sema.instances.int_sums.insert(&body.function);
  return name == "__combines" && usesAll(body.sema, op, type) ? uses(body, e->args[1], e->range)
                                                              : nothing(body, e->range);
}

// True if `op` surely reads every operand; then an undefined operand may be reported at the program's call. An
// operator of the program's own may leave some unread.
static bool usesAll(const Sema& sema, const Callable& op, const Type* type) {
  if (type->isStruct())
    return false;
  Overloads set = op.is_operator ? Overloads() : overloads(sema, op.name, op.scope);
  return std::all_of(set.begin(), set.end(),
                     [&](const ast::Function* function) { return sema.diag.sources().ofLibrary(function->range); });
}

// __uses(x), in the library: the code behind it compares x or computes with it, if not in this thread.
Expr* useBuiltin(Body& body, const ast::Expr* e) {
  if (e->args.size() != 1)
    return fail(body, Diag::argument_count, e->range, "__uses", 1, e->args.size());
  const Type* type = typeOf(body, e->args[0]);
  bool is_number = type->isScalar() || type->isVector();
  return type->isError() ? error(body, e->range)
         : is_number     ? uses(body, e->args[0], e->range)
                         : nothing(body, e->range);
}

static Expr* uses(Body& body, const ast::Expr* value, SourceRange range) {
  if (!body.sema.options.tells_undefined || !onDevice(body))
    return nothing(body, range);
  Expr* used = body.sema.nodes.make(Expr::BuiltinCall, body.sema.types.void_, range);
  used->builtin = Builtin::Uses, used->args = body.sema.nodes.keep<Expr*>({rvalue(body, value)});
  return used;
}

Expr* nothing(Body& body, SourceRange range) {
  return body.sema.nodes.make(Expr::Construct, body.sema.types.void_, range);
}

// Checks a call of a function that keeps such sums, or calls one that does. False if it is an error.
bool checkSums(Body& body, const Function& callee, SourceRange call) {
  if (body.sema.instances.int_sums.contains(&callee) && body.sema.diag.sources().ofLibrary(call))
    body.sema.instances.int_sums.insert(&body.function);
  auto found = body.sema.instances.narrow_sums.find(&callee);
  if (found == body.sema.instances.narrow_sums.end() || body.mode.unevaluated)
    return true;
  const Type* type = found->second;
  if (body.sema.diag.sources().ofLibrary(call)) {
    body.sema.instances.narrow_sums[&body.function] = type;
    return true;
  }
  if (type->isBool()) {
    body.sema.diag.report(Diag::sum_of_bools, call, callee.name);
    return false;
  }
  body.sema.diag.report(Diag::narrow_sum, call, callee.name, typeName(type), laneType(type)->bits);
  return true;
}

} // namespace bsgp::sema
