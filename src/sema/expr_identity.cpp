#include "sema/expr_identity.h"

#include <algorithm>

#include <fmt/format.h>

#include "sema/body.h"
#include "sema/convert.h"
#include "sema/expr_calls.h"
#include "sema/expr_construct.h"
#include "sema/expressions.h"
#include "sema/library_calls.h"
#include "sema/name_scopes.h"

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

bool hasFloats(const Type* type) {
  if (type->isStruct())
    return std::any_of(type->structure->fields.begin(), type->structure->fields.end(),
                       [](const StructField& field) { return hasFloats(field.type); });
  return type->isVector() || type->isArray() ? hasFloats(type->element) : type->isFloat();
}

// Returns the help for an operator that cannot fold values.
const char* otherOperator(ast::BinaryOp op) {
  switch (op) {
  case ast::BinaryOp::Sub:
    return "a - b is a + -b: write + and give it -x";
  case ast::BinaryOp::Div:
    return "a / b is a * (1 / b): write * and give it 1 / x";
  case ast::BinaryOp::LogicalAnd:
    return "write rop_and, and a bool";
  case ast::BinaryOp::LogicalOr:
    return "write rop_or, and a bool";
  case ast::BinaryOp::Lt:
  case ast::BinaryOp::Le:
    return "write min for the smallest";
  case ast::BinaryOp::Gt:
  case ast::BinaryOp::Ge:
    return "write max for the largest";
  default:
    return "the operators with an identity are + * & | ^ and functions with an identity clause";
  }
}

} // namespace

static Expr* notAnOperator(Body& body, const ast::Expr* e) {
  const Type* type = typeOf(body, e);
  return type->isError() ? error(body, e->range) : fail(body, Diag::not_an_operator, e->range, typeName(type));
}

namespace {

// The head of an operator as the program has it: "inline int larger(int a, int b)", "[](a, b)".
std::string headOf(const Body& body, const Callable& op, const ast::Function* node) {
  const SourceManager& sources = body.sema.diag.sources();
  if (!node || !node->body || node->params.size() < 2)
    return op.is_lambda ? "[](a, b)" : fmt::format("inline auto {}(a, b)", op.name);
  std::string_view operands = sources.text({node->params[0].range.begin, node->params[1].range.end});
  if (op.is_lambda)
    return fmt::format("[]({})", operands);
  std::string result = node->result && node->result->kind != ast::TypeExpr::Auto
                           ? std::string(sources.text(node->result->range))
                           : "auto";
  return fmt::format("{}{} {}({})", node->is_inline ? "inline " : "", result, op.name, operands);
}

// The help for an operator of the program: its identity depends on what it computes.
std::string identityClause(const Body& body, const Callable& op) {
  auto set = body.sema.functions.all.find(op.name);
  const ast::Function* node =
      set != body.sema.functions.all.end() && set->second.size() == 1 ? set->second[0] : nullptr;
  std::string_view operand = node && !node->params.empty() ? node->params[0].name : "a";
  return fmt::format(
      "add a clause: {0} identity(...) {{ ... }}, with the value that leaves the other operand as it is: 0 "
      "for a sum, 1 for a product, lowest({1}) for a maximum, highest({1}) for a minimum",
      headOf(body, op, node), operand);
}

} // namespace

static Expr* noIdentity(Body& body, const Callable& op, const Type* type, SourceRange range) {
  if (op.is_operator && type->isStruct())
    return fail(body, Diag::no_identity, range, op.name,
                fmt::format("write one: inline {0} operator{1}({0} a, {0} b) identity({0}(...)) {{ ... }}",
                            typeName(type), op.name));
  if (op.is_operator && op.op == ast::BinaryOp::Div && !hasFloats(type))
    return fail(body, Diag::no_identity, range, op.name,
                "a quotient of integers is cut off: what it gives depends on the order");
  if (op.is_operator)
    return fail(body, Diag::no_identity, range, op.name, otherOperator(op.op));
  std::optional<size_t> others = parametersOf(body.sema, op.name);
  if (size_t captured = op.captured.size(); others && *others != 2 + captured)
    return fail(body, Diag::operator_of_two, range, op.name, *others - captured);
  return fail(body, Diag::no_identity, range, op.is_lambda ? "[](a, b)" : op.name, identityClause(body, op));
}

// Reads the arguments of name(op, x): an operator, and the type of x, which is not evaluated. Returns null, or if
// they are wrong, an expression in place of the call.
Expr* operatorAndType(Body& body, std::string_view name, const ast::Expr* e, Callable& op, const Type*& type) {
  if (e->args.size() != 2)
    return fail(body, Diag::argument_count, e->range, name, 2, e->args.size());
  if (!asCallable(body, e->args[0], op))
    return notAnOperator(body, e->args[0]);
  type = typeOf(body, e->args[1]);
  return type->isError() ? error(body, e->range) : nullptr;
}

Expr* identity(Body& body, const ast::Expr* e) {
  Callable op;
  const Type* type = nullptr;
  if (Expr* wrong = operatorAndType(body, "identity", e, op, type))
    return wrong;
  if (type->isArray())
    return fail(body, Diag::no_identity, e->range, op.name, "an array is no operand: ask with one of its elements");
  int64_t known = 0;
  if (op.is_operator && !type->isStruct() && knownIdentity(op.op, known))
    return castTo(body, number(body, known, body.sema.types.i64, e->range), type, e->range);
  std::string function = fmt::format("{}{}", op.is_operator ? "operator" : "", op.name);
  std::string name = function + ".identity";
  if (!hasFunction(body.sema, name))
    return noIdentity(body, op, type, e->range);
  std::vector<Argument> arguments(2);
  for (Argument& argument : arguments) // the clause asks them for their type alone
    argument.value = zero(body, type, e->range), argument.range = e->range;
  arguments.insert(arguments.end(), op.captured.begin(), op.captured.end());
  Expr* value = callFrom(body, op.scope, body.sema.arena.copy(name), arguments, e->range);
  if (value->type->isError() || sameType(value->type, type))
    return value;
  bool cut = value->type->isScalar() && (type->isScalar() || type->isVector());
  bool of_library = scopeOf(body.sema, value->function->range) == Scope::Library;
  if (!cut && !convertible(body, value, type) && of_library && scopeOf(body.sema, e->range) == Scope::Program)
    return fail(body, Diag::no_identity, e->range, op.name,
                fmt::format("it is of type {}, and its operands are of type {}: give another operator",
                            typeName(value->type), typeName(type)));
  if (!cut && !convertible(body, value, type))
    return fail(body, Diag::identity_type, value->function->range, op.name, typeName(value->type), typeName(type));
  return cut ? castTo(body, value, type, e->range) : convert(body, value, type, "the identity");
}

// __exact(x): true if values of x's type are not rounded, so that an associative operator of them gives the same
// however its operands are grouped. x is not evaluated.
Expr* exact(Body& body, const ast::Expr* e) {
  if (e->args.size() != 1)
    return fail(body, Diag::argument_count, e->range, "__exact", 1, e->args.size());
  const Type* type = typeOf(body, e->args[0]);
  return type->isError() ? error(body, e->range) : number(body, !hasFloats(type), body.sema.types.bool_, e->range);
}

// __commutes(op): true if the program may exchange the operands of op without a difference.
Expr* commutes(Body& body, const ast::Expr* e) {
  if (e->args.size() != 1)
    return fail(body, Diag::argument_count, e->range, "__commutes", 1, e->args.size());
  Callable op;
  int64_t known = 0;
  if (!asCallable(body, e->args[0], op))
    return notAnOperator(body, e->args[0]);
  bool declared = hasFunction(body.sema, fmt::format("{}{}.commutative", op.is_operator ? "operator" : "", op.name));
  bool structs =
      hasFunction(body.sema, fmt::format("operator{}.identity", op.name)); // then the operator may be one of theirs
  return number(body, declared || (op.is_operator && !structs && knownIdentity(op.op, known)), body.sema.types.bool_,
                e->range);
}

} // namespace bsgp::sema
