#include "sema/expr_operators.h"

#include <fmt/format.h>

#include "sema/arguments.h"
#include "sema/binary_operators.h"
#include "sema/body.h"
#include "sema/constant.h"
#include "sema/convert.h"
#include "sema/expr_access.h"
#include "sema/expr_assign.h"
#include "sema/expr_calls.h"
#include "sema/expr_construct.h"
#include "sema/expressions.h"
#include "sema/lists.h"
#include "sema/misplaced.h"
#include "sema/name_scopes.h"
#include "sema/narrow_sums.h"
#include "sema/scopes.h"
#include "sema/select.h"
#include "sema/warn_constants.h"
#include "sema/warnings.h"
#include "sema/whole_operands.h"

namespace bsgp::sema {

using ast::BinaryOp;
using ast::UnaryOp;

namespace {

bool isBitwise(BinaryOp op) {
  return op >= BinaryOp::BitAnd && op <= BinaryOp::BitOr;
}

// Makes a known number, also a const variable, a constant, so that expressions of such are constants on both sides.
Expr* folded(Sema& sema, Expr* e) {
  bool leaf = e->kind == Expr::Var || e->kind == Expr::Neg || e->kind == Expr::BitNot;
  ConstValue value;
  if (!leaf || !e->type->isScalar() || (e->a && e->a->kind != Expr::Constant) || !constantValue(e, value))
    return e;
  return sema.nodes.constant(value, e->type, e->range);
}

// Returns the help for an operator that its operands have no meaning for: a struct may define its own.
std::string missingOperator(BinaryOp op, const Type* a, const Type* b) {
  if (op == BinaryOp::BitXor && (laneType(a)->isFloat() || laneType(b)->isFloat()))
    return "^ is the exclusive or: a power is x * x, or pow(x, y)";
  if (!a->isStruct() && !b->isStruct())
    return "convert one of them";
  std::string result = isComparison(op) ? "bool" : typeName(a->isStruct() ? a : b);
  return fmt::format("define the operator: {} operator{}({} a, {} b) {{ ... }}", result, ast::spelling(op), typeName(a),
                     typeName(b));
}

} // namespace

static Expr* incDec(Body& body, const ast::Expr* e);
static Expr* addressOf(Body& body, const ast::Expr* e);
static Expr* deref(Body& body, const ast::Expr* e);
static Expr* arithmetic(Body& body, ast::BinaryOp op, Expr* a, Expr* b, SourceRange range);
static Expr* pointerArithmetic(Body& body, ast::BinaryOp op, Expr* a, Expr* b, SourceRange range);
static Expr* pointerComparison(Body& body, ast::BinaryOp op, Expr* a, Expr* b, SourceRange range);
static Expr* logical(Body& body, const ast::Expr* e);

Expr* overloaded(Body& body, std::string_view name, std::vector<Expr*> operands, SourceRange range) {
  bool any = false;
  for (Expr* operand : operands)
    any |= operand->type->isStruct();
  if (!any || !hasFunction(body.sema, name))
    return nullptr;
  std::vector<Argument> arguments = argumentsOf(operands);
  return takes(body.sema, name, arguments, body) ? callWith(body, name, std::move(arguments), range) : nullptr;
}

Expr* unary(Body& body, const ast::Expr* e) {
  switch (e->unary) {
  case UnaryOp::AddrOf:
    return addressOf(body, e);
  case UnaryOp::Deref:
    return deref(body, e);
  case UnaryOp::PreInc:
  case UnaryOp::PreDec:
  case UnaryOp::PostInc:
  case UnaryOp::PostDec:
    return incDec(body, e);
  default:
    break;
  }
  Expr* a = rvalue(body, e->a);
  if (a->type->isError())
    return a;
  const char* spelled = ast::spelling(e->unary);
  if (Expr* call = overloaded(body, body.sema.arena.copy(fmt::format("operator{}", spelled)), {a}, e->range))
    return call;
  if (e->unary == UnaryOp::Not && !a->type->isVector()) {
    Expr* r = body.sema.nodes.make(Expr::Not, body.sema.types.bool_, e->range);
    r->a = toBool(body, a);
    return r->a->type->isError() ? r->a : r;
  }
  const Type* lane = laneType(a->type);
  bool fits = e->unary == UnaryOp::BitNot ? lane->isInt() || (lane->isBool() && a->type->isScalar())
              : e->unary == UnaryOp::Not  ? lane->isBool()
                                          : lane->isScalar();
  if (!fits)
    return fail(body, Diag::bad_operand, e->range, spelled, typeName(a->type));
  if (a->type->isScalar())
    a = cast(body, a, promoted(body.sema, a->type));
  if (e->unary == UnaryOp::Plus)
    return a;
  Expr* r = body.sema.nodes.make(e->unary == UnaryOp::Neg   ? Expr::Neg
                                 : e->unary == UnaryOp::Not ? Expr::Not
                                                            : Expr::BitNot,
                                 a->type, e->range);
  r->a = a;
  return r;
}

static Expr* incDec(Body& body, const ast::Expr* e) {
  Expr* a = expr(body, e->a);
  bool increment = e->unary == UnaryOp::PreInc || e->unary == UnaryOp::PostInc;
  if (a->type->isError() || !requireLvalue(body, a, increment ? "'++'" : "'--'") ||
      !checkWritable(body, a, e->range, kPlacesOfSome))
    return error(body, e->range);
  const Type* lane = laneType(a->type);
  if (!(lane->isScalar() && !lane->isBool()) && !a->type->isPointer())
    return fail(body, Diag::bad_operand, e->range, increment ? "++" : "--", typeName(a->type));
  Expr* r = body.sema.nodes.make(Expr::IncDec, a->type, e->range);
  r->a = a, r->op = increment ? BinaryOp::Add : BinaryOp::Sub;
  r->prefix = e->unary == UnaryOp::PreInc || e->unary == UnaryOp::PreDec;
  return r;
}

// &p[i] in host code, of device memory or of a list: the help is a sum. Null if it is no such address.
static Expr* rejectElementAddress(Body& body, const ast::Expr* e) {
  const ast::Expr* of = e->a;
  if (onDevice(body) || of->kind != ast::Expr::Index)
    return nullptr;
  const Type* type = typeOf(body, of->a);
  bool device = type->isPointer() && type->space->root()->space == Space::Device;
  if (!device && !type->isDList())
    return nullptr;
  std::string at = sourceText(body, of->b->range);
  bool binds = of->b->kind != ast::Expr::Binary && of->b->kind != ast::Expr::Conditional;
  return fail(
      body, Diag::element_address, e->range, device ? "device memory" : "a dlist",
      fmt::format("{}{} + {}", sourceText(body, of->a->range), device ? "" : ".data", binds ? at : "(" + at + ")"));
}

// &lim[k] of the host's: a thread copies what it reads, and an array has no copy.
static Expr* hostAddressOnDevice(Body& body, const Expr& place, const Variable& root, SourceRange range) {
  Diagnostics::Mark before = body.sema.diag.mark();
  body.sema.diag.report(Diag::host_address_on_device, range, root.name);
  for (Diagnostic& message : body.sema.diag.takeSince(before)) {
    std::string copied = fmt::format("auto own = {};", root.name);
    if (size_t at = message.help.find(copied); at != std::string::npos && !place.type->isArray())
      message.help.replace(at, copied.size(), fmt::format("auto own = {};", sourceText(body, place.range)));
    else if (size_t end = message.help.find("; what threads"); end != std::string::npos)
      message.help = fmt::format("name its elements where they are read: {}[i]", sourceText(body, place.range)) +
                     message.help.substr(end);
    body.sema.diag.put(std::move(message));
  }
  return error(body, range);
}

static Expr* addressOf(Body& body, const ast::Expr* e) {
  if (Expr* wrong = rejectElementAddress(body, e))
    return wrong;
  bool of_function = e->a->kind == ast::Expr::Name && find(body, e->a->name).kind == Symbol::None &&
                     hasFunction(body.sema, e->a->name);
  if (of_function)
    return fail(body, Diag::no_address, e->range,
                fmt::format("leave out the '&': a function is an argument by its name alone, {}", e->a->name));
  Expr* a = expr(body, e->a);
  if (a->type->isDList())
    return fail(body, Diag::list_address, e->range, sourceText(body, e->a->range));
  if (a->type->holds_lists)
    return fail(body, Diag::lists_inside, e->range, "what a pointer points to", typeName(a->type));
  if (a->kind == Expr::Constant && a->variable)
    return fail(body, Diag::host_address_on_device, e->range, a->variable->name);
  if (a->type->isError() || !requireLvalue(body, a, "'&'"))
    return error(body, e->range);
  if (a->kind == Expr::Swizzle && a->lane_count > 1)
    return fail(body, Diag::no_address, e->range, "take that of the vector, or of one of its components");
  if (a->kind == Expr::ThreadSize)
    return fail(body, Diag::no_address, e->range, kIntoVariable);
  if (!onDevice(body) && isListElement(a))
    return noElementAddress(body, a, e->range);
  const Variable* root = rootVariable(a);
  bool table = root && onDevice(body) && root->kind == Variable::Constant;
  if (onDevice(body) && root && root->side == Side::Host && !table)
    return hostAddressOnDevice(body, *a, *root, e->range);
  const Type* type = nullptr;
  if (root) {
    const_cast<Variable*>(root)->address_taken = true;
    Space space = root->kind == Variable::Shared ? Space::Shared
                  : table                        ? Space::Device
                  : root->side == Side::Host     ? Space::Host
                                                 : Space::Private;
    type = body.sema.types.pointer(a->type, space, isConst(a));
  } else {
    for (const Expr* at = a; !type; at = at->a)
      if ((at->kind == Expr::Index || at->kind == Expr::Deref) && at->a->type->isPointer())
        type = body.sema.types.pointer(a->type, at->a->type->space, isConst(a));
  }
  Expr* r = body.sema.nodes.make(Expr::AddrOf, type, e->range);
  r->a = a;
  return r;
}

// x ** y: behind a product, what is taken for a pointer.
static bool isPower(const Body& body, const ast::Expr& e) {
  return e.range.begin > body.begin && body.begin &&
         body.sema.diag.sources().text({e.range.begin - 1, e.range.begin}) == "*";
}

static Expr* deref(Body& body, const ast::Expr* e) {
  Expr* a = rvalue(body, e->a);
  if (a->type->isError())
    return a;
  if (!a->type->isPointer())
    return fail(body, Diag::not_a_pointer, e->range, typeName(a->type),
                isPower(body, *e) ? "there is no operator **: write x * x, or pow(x, y)" : "");
  if (a->type->element->isVoid())
    return fail(body, Diag::void_pointer, e->range, typeName(a->type));
  touchMemory(body, a, e->range);
  Expr* r = body.sema.nodes.make(Expr::Deref, a->type->element, e->range);
  r->a = a;
  return r;
}

Expr* binary(Body& body, const ast::Expr* e) {
  // Chains of one precedence lean left; walk them without recursion.
  std::vector<const ast::Expr*> chain;
  const ast::Expr* at = e;
  for (; at->kind == ast::Expr::Binary && at->binary < BinaryOp::LogicalAnd; at = at->a)
    chain.push_back(at);
  if (chain.empty())
    return logical(body, e);
  Expr* left = rvalue(body, at);
  for (auto it = chain.rbegin(); it != chain.rend(); ++it)
    if (!left->type->isError() || (*it)->binary != BinaryOp::Shl) { // cout << x << endl
      Expr* right = rvalue(body, (*it)->b);
      if (warns(body)) {
        warnOfChainedComparison(**it, *right->type, body.sema.warnings);
        warnOfPrecedence(**it, *left->type, *right->type, body.sema.warnings);
        warnOfTextAddresses(**it, *left->type, *right->type, body.sema.warnings);
        warnOfArrayAddresses(**it, *left, *right, body.sema.warnings);
        warnOfJoinedNumbers(**it, body.sema.warnings);
        warnOfPower(**it, body.sema.warnings);
        warnOfLostQuotient(**it, body.sema.warnings);
        if ((*it)->a->kind == ast::Expr::SizeofExpr)
          warnOfSizeOfPointer(**it, *typeOf(body, (*it)->a->a), body.sema.warnings);
      }
      if (warns(body) && !isGeneric(body)) {
        warnOfNeverNegative(**it, *left->type, *right->type, body.sema.warnings);
        warnOfOutsideOfType(**it, *left, *right, body.sema.warnings);
        warnOfOutsideOfResult(**it, *left, *right, body.sema.warnings);
        warnOfSameOperands(**it, *left, body.sema.warnings);
        warnOfFloatComparison(**it, *left, *right, body.sema.warnings);
        warnOfDivisionByZero((*it)->binary, *left, *right, (*it)->range, body.sema.warnings);
      }
      left = binaryOn(body, (*it)->binary, left, right, (*it)->range);
    }
  return left;
}

Expr* binaryOn(Body& body, BinaryOp op, Expr* a, Expr* b, SourceRange range) {
  if (a->type->isError() || b->type->isError())
    return error(body, range);
  if (Expr* call = overloaded(body, body.sema.arena.copy(fmt::format("operator{}", ast::spelling(op))), {a, b}, range))
    return call;
  bool pointers = a->type->isPointer() || b->type->isPointer();
  if (pointers && isComparison(op))
    return pointerComparison(body, op, a, b, range);
  if (pointers)
    return pointerArithmetic(body, op, a, b, range);
  return arithmetic(body, op, a, b, range);
}

static Expr* arithmetic(Body& body, BinaryOp op, Expr* a, Expr* b, SourceRange range) {
  a = folded(body.sema, a), b = folded(body.sema, b);
  const Type* type = common(body.sema, a->type, b->type);
  if (type && isShift(op) && a->type->isScalar())
    type = promoted(body.sema, a->type);
  bool integers = isShift(op) || isBitwise(op) || op == BinaryOp::Rem;
  const Type* lane = type ? laneType(type) : nullptr;
  if (!type || (integers && (lane->isFloat() || laneType(b->type)->isFloat())) ||
      (!isComparison(op) && !isBitwise(op) && lane->isBool())) {
    return fail(body, Diag::bad_operands, range, ast::spelling(op), typeName(a->type), typeName(b->type),
                isWhole(*a) || isWhole(*b)                       ? helpForWhole(body, op, *a, *b)
                : op == BinaryOp::Rem && lane && lane->isFloat() ? "use fmod(a, b)"
                                                                 : missingOperator(op, a->type, b->type));
  }
  if (isComparison(op) && body.scope == Scope::Program && mixesSigns(*a, *b, *type))
    body.sema.warnings.report(Diag::mixed_signs, range, typeWithArticle(a->type), typeWithArticle(b->type),
                              typeName(a->type), typeName(b->type));
  if (isShift(op) && warns(body) && !isGeneric(body))
    warnOfShift(*type, *b, range, body.sema.warnings);
  Expr* r = body.sema.nodes.make(Expr::Binary, type, range);
  // bool & bool stays a bool, comparisons of bools compare as ints
  if (a->type->isBool() && b->type->isBool() && isBitwise(op))
    r->type = type = body.sema.types.bool_;
  r->op = op, r->a = cast(body, a, type), r->b = cast(body, b, type);
  if (isComparison(op))
    r->type = type->isVector() ? body.sema.types.vector(body.sema.types.bool_, static_cast<unsigned>(type->count))
                               : body.sema.types.bool_;
  ConstValue value;
  if (r->a->kind == Expr::Constant && r->b->kind == Expr::Constant && r->type->isScalar() && constantValue(r, value)) {
    if (warns(body))
      warnOfOverflow(*r, isGeneric(body), body.sema.warnings);
    return body.sema.nodes.constant(value, r->type, range);
  }
  return r;
}

static Expr* pointerArithmetic(Body& body, BinaryOp op, Expr* a, Expr* b, SourceRange range) {
  if (op == BinaryOp::Sub && a->type->isPointer() && b->type->isPointer()) {
    if (!sameType(a->type->element, b->type->element) || a->type->element->isVoid() ||
        !unify(body, a->type, b->type, range))
      return fail(body, Diag::bad_operands, range, "-", typeName(a->type), typeName(b->type),
                  "subtract pointers to one type");
    Expr* r = body.sema.nodes.make(Expr::PtrDiff, body.sema.types.i64, range);
    r->a = a, r->b = b;
    return r;
  }
  if (op == BinaryOp::Add && a->type->isInt())
    std::swap(a, b);
  if ((op != BinaryOp::Add && op != BinaryOp::Sub) || !a->type->isPointer() || !b->type->isInt() ||
      a->type->element->isVoid())
    return fail(body, Diag::bad_operands, range, ast::spelling(op), typeName(a->type), typeName(b->type),
                isWhole(*a) || isWhole(*b) ? helpForWhole(body, op, *a, *b)
                                           : "a pointer takes + and - with a whole number");
  Expr* r = body.sema.nodes.make(Expr::PtrAdd, a->type, range);
  r->op = op, r->a = a, r->b = b;
  return r;
}

static Expr* pointerComparison(Body& body, BinaryOp op, Expr* a, Expr* b, SourceRange range) {
  const Type* type = a->type->isPointer() ? a->type : b->type;
  if ((a->type->isPointer() && a->type->to_const) || (b->type->isPointer() && b->type->to_const))
    type = body.sema.types.pointer(type->element, type->space, true);
  if (!convertible(body, a, type) || !convertible(body, b, type))
    return fail(body, Diag::bad_operands, range, ast::spelling(op), typeName(a->type), typeName(b->type),
                isWhole(*a) || isWhole(*b) ? helpForWhole(body, op, *a, *b) : "compare pointers to one type");
  Expr* r = body.sema.nodes.make(Expr::Binary, body.sema.types.bool_, range);
  r->op = op, r->a = convert(body, a, type, "this comparison"), r->b = convert(body, b, type, "this comparison");
  return r->a->type->isError() || r->b->type->isError() ? error(body, range) : r;
}

std::optional<bool> constantCondition(const Expr* condition) {
  ConstValue known;
  bool is_known = !condition->type->isError() && constantValue(condition, known);
  return is_known ? std::optional(known.integer != 0) : std::nullopt;
}

// Checks an operand of && or ||, or an arm of ?:, under the condition `around`. Under a constant there is no
// condition, and an operand that is left out only counts for its type.
static Expr* operand(Body& body, const ast::Expr* e, const Enclosing& around, bool is_constant, bool left_out) {
  if (!is_constant)
    body.flow.enclosing.push_back(around);
  body.mode.unevaluated += left_out;
  Expr* value = around.inArm() ? decay(body, expr(body, e)) : rvalue(body, e);
  body.mode.unevaluated -= left_out;
  if (!is_constant)
    body.flow.enclosing.pop_back();
  return value;
}

static Expr* logical(Body& body, const ast::Expr* e) {
  if (e->binary == BinaryOp::Comma) {
    Expr* r = body.sema.nodes.make(Expr::Comma, nullptr, e->range);
    r->a = decay(body, expr(body, e->a)), r->b = decay(body, expr(body, e->b));
    if (warns(body))
      warnOfDropped(*r->a, body.sema);
    if (r->a->type->isError() || r->b->type->isError())
      return error(body, e->range);
    if (r->b->type->holds_lists)
      return noListValue(body, r->b, "the value of a comma");
    r->type = r->b->type;
    return r;
  }
  bool is_and = e->binary == BinaryOp::LogicalAnd;
  Expr* r = body.sema.nodes.make(is_and ? Expr::LogicalAnd : Expr::LogicalOr, body.sema.types.bool_, e->range);
  Expr* a = rvalue(body, e->a);
  auto isVector = [](const Expr* part) { return part->type->isVector() && part->type->element->isBool(); };
  auto refuse = [&](const Expr* part) {
    return fail(body, Diag::vector_condition, e->range, is_and ? "'&&'" : "'||'", typeWithArticle(part->type),
                is_and ? "join vectors with '&'; where one answer is wanted, all(v) or any(v) gives it"
                       : "join vectors with '|'; where one answer is wanted, any(v) or all(v) gives it");
  };
  if (isVector(a))
    return refuse(a);
  r->a = toBool(body, a);
  std::optional<bool> known = constantCondition(r->a);
  bool decided = known && *known != is_and;
  Expr* b = operand(body, e->b, {r->a, e->a->range, is_and ? Construct::And : Construct::Or, nullptr, !is_and},
                    known.has_value(), decided);
  if (isVector(b))
    return refuse(b);
  if (warns(body) && !a->type->isError() && !b->type->isError())
    warnOfConstantOperand(*e, *a, *b, body.sema.warnings);
  if (warns(body) && !isGeneric(body) && !decided)
    warnOfContradiction(*e, *a, *b, body.sema.warnings);
  r->b = toBool(body, b);
  if (decided && !r->b->type->isError())
    r->b = number(body, !is_and, body.sema.types.bool_, e->b->range);
  return r->a->type->isError() || r->b->type->isError() ? error(body, e->range) : r;
}

Expr* conditional(Body& body, const ast::Expr* e) {
  Expr* r = body.sema.nodes.make(Expr::Conditional, nullptr, e->range);
  Expr* asked = rvalue(body, e->a);
  if (asked->type->isVector() && asked->type->element->isBool())
    asked = fail(body, Diag::vector_condition, e->a->range, "'?:'", typeWithArticle(asked->type),
                 "select(v, a, b) chooses by component; where one answer is wanted, any(v) or all(v) gives it");
  r->a = toBool(body, asked);
  std::optional<bool> known = constantCondition(r->a);
  Expr* b = operand(body, e->b, {r->a, e->a->range, Construct::Choice}, known.has_value(), known && !*known);
  Expr* c =
      operand(body, e->c, {r->a, e->a->range, Construct::Choice, nullptr, true}, known.has_value(), known && *known);
  if (r->a->type->isError() || b->type->isError() || c->type->isError())
    return error(body, e->range);
  const Type* type = common(body.sema, b->type, c->type);
  if (sameType(b->type, c->type) || b->type->space)
    type = b->type;
  else if (c->type->space)
    type = c->type;
  if (type && (dropsConst(b, type) || dropsConst(c, type)))
    type = body.sema.types.constReaching(type);
  if (b->type->holds_lists || c->type->holds_lists)
    return noListValue(body, b->type->holds_lists ? b : c, "an arm of '?:'");
  if (!type || !convertible(body, b, type) || !convertible(body, c, type))
    return fail(body, Diag::bad_operands, e->range, "?:", typeName(b->type), typeName(c->type),
                "give both arms one type");
  r->type = type;
  r->b = convert(body, b, type, "an arm of ?:"), r->c = convert(body, c, type, "an arm of ?:");
  if (r->b->type->isError() || r->c->type->isError())
    return error(body, e->range);
  if (Expr*& left_out = known && *known ? r->c : r->b; known)
    left_out = type->isVoid() ? nothing(body, left_out->range) : zero(body, type, left_out->range);
  return r;
}

} // namespace bsgp::sema
