// identity(op, x): the neutral value of an operator, in the type of x. For the operators of the language it is known
// here; a function says it in a clause of its own, which the parser made a function `f.identity`.
#include <algorithm>

#include <fmt/format.h>

#include "sema/checker.h"

namespace bsgp::sema {

namespace {

// 0 for + | ^, 1 for *, all bits for &; nothing for the others.
bool knownIdentity(ast::BinaryOp op, int64_t& value) {
  switch (op) {
  case ast::BinaryOp::Add:
  case ast::BinaryOp::BitOr:
  case ast::BinaryOp::BitXor:
    value = 0;
    return true;
  case ast::BinaryOp::Mul:
    value = 1;
    return true;
  case ast::BinaryOp::BitAnd:
    value = -1;
    return true;
  default:
    return false;
  }
}

} // namespace

Expr* Body::identity(const ast::Expr* e) {
  if (e->args.size() != 2)
    return fail(Diag::argument_count, e->range, "identity", 2, e->args.size());
  Callable op;
  if (!asCallable(e->args[0], op))
    return fail(Diag::identity_of_value, e->args[0]->range);
  const Type* type = typeOf(e->args[1]);
  if (type->isError())
    return error(e->range);
  int64_t known = 0;
  if (op.is_operator && !type->isStruct() && knownIdentity(op.op, known))
    return castTo(number(known, types_.i64, e->range), type, e->range);
  std::string function = fmt::format("{}{}", op.is_operator ? "operator" : "", op.name);
  std::string name = function + ".identity";
  if (!sema_.hasFunction(name))
    return fail(Diag::no_identity, e->range, op.name, function);
  std::vector<Argument> arguments(2);
  for (Argument& argument : arguments) // the clause asks them for their type alone
    argument.value = zero(type, e->range), argument.range = e->range;
  Expr* value = callWith(sema_.arena.copy(name), arguments, e->range);
  if (value->type->isError() || sema_.sameType(value->type, type))
    return value;
  return value->type->isScalar() ? castTo(value, type, e->range) : convert(value, type, "the identity");
}

namespace {

bool hasFloats(const Type* type) {
  if (type->isStruct())
    return std::any_of(type->structure->fields.begin(), type->structure->fields.end(),
                       [](const StructField& field) { return hasFloats(field.type); });
  return type->isVector() || type->isArray() ? hasFloats(type->element) : type->isFloat();
}

} // namespace

// __exact(x): true where values of x's type are not rounded, so that an associative operator of them gives the same
// however its operands are grouped. x is not evaluated.
Expr* Body::exact(const ast::Expr* e) {
  if (e->args.size() != 1)
    return fail(Diag::argument_count, e->range, "__exact", 1, e->args.size());
  const Type* type = typeOf(e->args[0]);
  return type->isError() ? error(e->range) : number(!hasFloats(type), types_.bool_, e->range);
}

// __commutes(op): true where the program may exchange the operands of op without a difference.
Expr* Body::commutes(const ast::Expr* e) {
  if (e->args.size() != 1)
    return fail(Diag::argument_count, e->range, "__commutes", 1, e->args.size());
  Callable op;
  int64_t known = 0;
  if (!asCallable(e->args[0], op))
    return fail(Diag::identity_of_value, e->args[0]->range);
  bool declared = sema_.hasFunction(fmt::format("{}{}.commutative", op.is_operator ? "operator" : "", op.name));
  bool structs =
      sema_.hasFunction(fmt::format("operator{}.identity", op.name)); // then the operator may be one of theirs
  return number(declared || (op.is_operator && !structs && knownIdentity(op.op, known)), types_.bool_, e->range);
}

} // namespace bsgp::sema
