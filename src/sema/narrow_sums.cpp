// Sums kept in a type too small for them: of bools, which hold 0 and 1 alone, and of char and short. The library says
// what it accumulates; the program is told at its own call of the library.
#include <fmt/format.h>

#include "sema/checker.h"

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

bool Sema::sums(const Callable& op) const {
  if (op.is_operator)
    return addsOrMultiplies(op.op);
  Overloads set = overloads(op.name, op.scope);
  return set.size() == 1 && isSum(*set[0]);
}

// Does op make something wider of two bools, as + does?
bool Body::widensBools(const Callable& op, SourceRange range) {
  Expr* one = number(1, types_.bool_, range);
  ++unevaluated_;
  Expr* value = nullptr;
  if (op.is_operator) {
    value = binaryOn(op.op, one, one, range);
  } else {
    Argument argument;
    argument.value = one, argument.range = range;
    value = callFrom(op.scope, op.name, {argument, argument}, range);
  }
  --unevaluated_;
  return !value->type->isError() && !value->type->isBool();
}

// __counts(op, x), in the library: true where x is a bool and op has a sum of two of them that is none.
// __sums(op, x): says that the function combines values of x's type by op, and keeps results in that type.
// __combines(op, x): and that it combines this one, if not in this thread.
// Null: no such built-in function.
Expr* Body::sumBuiltin(std::string_view name, const ast::Expr* e) {
  if (name != "__counts" && name != "__sums" && name != "__combines")
    return nullptr;
  Callable op;
  const Type* type = nullptr;
  if (Expr* wrong = operatorAndType(name, e, op, type))
    return wrong;
  bool counts = type->isBool() && widensBools(op, e->range);
  if (name == "__counts")
    return number(counts, types_.bool_, e->range);
  const Type* lane = laneType(type);
  if (counts || (lane->isInt() && lane->bits < 32 && sema_.sums(op)))
    sema_.narrow_sums_[&fn_] = type;
  return name == "__combines" && sema_.usesAll(op, type) ? uses(e->args[1], e->range) : nothing(e->range);
}

// Of numbers op computes with all that it is given, whose order it is not: what nobody has set is told where the program hands it
// over. An operator of the program's own may have no use for some of it.
bool Sema::usesAll(const Callable& op, const Type* type) const {
  if (type->isStruct())
    return false;
  Overloads set = op.is_operator ? Overloads() : overloads(op.name, op.scope);
  return std::all_of(set.begin(), set.end(),
                     [&](const ast::Function* function) { return diag.sources().ofLibrary(function->range); });
}

// __uses(x), in the library: what follows compares x or computes with it, if not in this thread.
Expr* Body::useBuiltin(const ast::Expr* e) {
  if (e->args.size() != 1)
    return fail(Diag::argument_count, e->range, "__uses", 1, e->args.size());
  const Type* type = typeOf(e->args[0]);
  bool is_number = type->isScalar() || type->isVector();
  return type->isError() ? error(e->range) : is_number ? uses(e->args[0], e->range) : nothing(e->range);
}

Expr* Body::uses(const ast::Expr* value, SourceRange range) {
  if (!sema_.tells_undefined || !onDevice())
    return nothing(range);
  Expr* used = sema_.make(Expr::BuiltinCall, types_.void_, range);
  used->builtin = Builtin::Uses, used->args = sema_.keep<Expr*>({rvalue(value)});
  return used;
}

Expr* Body::nothing(SourceRange range) {
  return sema_.make(Expr::Construct, types_.void_, range);
}

// A call of a function that keeps such sums, or calls one that does. False where that is an error.
bool Body::checkSums(const Function& callee, SourceRange call) {
  auto found = sema_.narrow_sums_.find(&callee);
  if (found == sema_.narrow_sums_.end() || unevaluated_)
    return true;
  const Type* type = found->second;
  if (sema_.diag.sources().ofLibrary(call)) {
    sema_.narrow_sums_[&fn_] = type;
    return true;
  }
  if (type->isBool()) {
    sema_.diag.report(Diag::sum_of_bools, call, callee.name);
    return false;
  }
  sema_.diag.report(Diag::narrow_sum, call, callee.name, typeName(type), laneType(type)->bits);
  return true;
}

} // namespace bsgp::sema
