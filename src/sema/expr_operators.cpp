// Unary, binary, logical and conditional operators.
#include <fmt/format.h>

#include "sema/arguments.h"
#include "sema/checker.h"
#include "sema/warnings.h"

namespace bsgp::sema {

using ast::BinaryOp;
using ast::UnaryOp;

namespace {

bool isComparison(BinaryOp op) {
  return op >= BinaryOp::Lt && op <= BinaryOp::Ne;
}
bool isShift(BinaryOp op) {
  return op == BinaryOp::Shl || op == BinaryOp::Shr;
}
bool isBitwise(BinaryOp op) {
  return op >= BinaryOp::BitAnd && op <= BinaryOp::BitOr;
}

// A number that is known, a const variable too, as a constant: what is computed from such is one on both sides.
Expr* folded(Sema& sema, Expr* e) {
  bool leaf = e->kind == Expr::Var || e->kind == Expr::Neg || e->kind == Expr::BitNot;
  ConstValue value;
  if (!leaf || !e->type->isScalar() || (e->a && e->a->kind != Expr::Constant) || !Sema::constantValue(e, value))
    return e;
  Expr* constant = sema.make(Expr::Constant, e->type, e->range);
  constant->value = value;
  return constant;
}

// What to write where an operator has no meaning for its operands: a struct may have one of its own.
std::string missingOperator(BinaryOp op, const Type* a, const Type* b) {
  if (!a->isStruct() && !b->isStruct())
    return "convert one of them";
  std::string result = isComparison(op) ? "bool" : typeName(a->isStruct() ? a : b);
  return fmt::format("define the operator: {} operator{}({} a, {} b) {{ ... }}", result, ast::spelling(op), typeName(a),
                     typeName(b));
}

} // namespace

Expr* Body::overloaded(std::string_view name, std::vector<Expr*> operands, SourceRange range) {
  bool any = false;
  for (Expr* operand : operands)
    any |= operand->type->isStruct();
  if (!any || !sema_.hasFunction(name))
    return nullptr;
  std::vector<Argument> arguments = argumentsOf(operands);
  return sema_.takes(name, arguments, *this) ? callWith(name, std::move(arguments), range) : nullptr;
}

Expr* Body::unary(const ast::Expr* e) {
  switch (e->unary) {
  case UnaryOp::AddrOf:
    return addressOf(e);
  case UnaryOp::Deref:
    return deref(e);
  case UnaryOp::PreInc:
  case UnaryOp::PreDec:
  case UnaryOp::PostInc:
  case UnaryOp::PostDec:
    return incDec(e);
  default:
    break;
  }
  Expr* a = rvalue(e->a);
  if (a->type->isError())
    return a;
  const char* spelled = ast::spelling(e->unary);
  if (Expr* call = overloaded(sema_.arena.copy(fmt::format("operator{}", spelled)), {a}, e->range))
    return call;
  if (e->unary == UnaryOp::Not && !a->type->isVector()) {
    Expr* r = sema_.make(Expr::Not, types_.bool_, e->range);
    r->a = toBool(a);
    return r->a->type->isError() ? r->a : r;
  }
  const Type* lane = laneType(a->type);
  bool fits = e->unary == UnaryOp::BitNot ? lane->isInt() || (lane->isBool() && a->type->isScalar())
              : e->unary == UnaryOp::Not  ? lane->isBool()
                                          : lane->isScalar();
  if (!fits)
    return fail(Diag::bad_operand, e->range, spelled, typeName(a->type));
  if (a->type->isScalar())
    a = cast(a, sema_.promoted(a->type));
  if (e->unary == UnaryOp::Plus)
    return a;
  Expr* r = sema_.make(e->unary == UnaryOp::Neg   ? Expr::Neg
                       : e->unary == UnaryOp::Not ? Expr::Not
                                                  : Expr::BitNot,
                       a->type, e->range);
  r->a = a;
  return r;
}

Expr* Body::incDec(const ast::Expr* e) {
  Expr* a = expr(e->a);
  bool increment = e->unary == UnaryOp::PreInc || e->unary == UnaryOp::PostInc;
  if (a->type->isError() || !requireLvalue(a, increment ? "'++'" : "'--'") ||
      !checkWritable(a, e->range, kPlacesOfSome))
    return error(e->range);
  const Type* lane = laneType(a->type);
  if (!(lane->isScalar() && !lane->isBool()) && !a->type->isPointer())
    return fail(Diag::bad_operand, e->range, increment ? "++" : "--", typeName(a->type));
  Expr* r = sema_.make(Expr::IncDec, a->type, e->range);
  r->a = a, r->op = increment ? BinaryOp::Add : BinaryOp::Sub;
  r->prefix = e->unary == UnaryOp::PreInc || e->unary == UnaryOp::PreDec;
  return r;
}

// &p[i] in host code, of device memory or of a list: what it is meant for is a sum. Null: it is no such address.
Expr* Body::rejectElementAddress(const ast::Expr* e) {
  const ast::Expr* of = e->a;
  if (onDevice() || of->kind != ast::Expr::Index)
    return nullptr;
  const Type* type = typeOf(of->a);
  bool device = type->isPointer() && type->space->root()->space == Space::Device;
  if (!device && !type->isDList())
    return nullptr;
  std::string at = sourceText(of->b->range);
  bool binds = of->b->kind != ast::Expr::Binary && of->b->kind != ast::Expr::Conditional;
  return fail(Diag::element_address, e->range, device ? "device memory" : "a dlist",
              fmt::format("{}{} + {}", sourceText(of->a->range), device ? "" : ".data", binds ? at : "(" + at + ")"));
}

Expr* Body::addressOf(const ast::Expr* e) {
  if (Expr* wrong = rejectElementAddress(e))
    return wrong;
  Expr* a = expr(e->a);
  if (a->type->isDList())
    return fail(Diag::list_address, e->range, sourceText(e->a->range));
  if (a->type->holds_lists)
    return fail(Diag::lists_inside, e->range, "what a pointer points to", typeName(a->type));
  if (a->kind == Expr::Constant && a->variable)
    return fail(Diag::host_address_on_device, e->range, a->variable->name);
  if (a->type->isError() || !requireLvalue(a, "'&'"))
    return error(e->range);
  if (a->kind == Expr::Swizzle && a->lane_count > 1)
    return fail(Diag::no_address, e->range, "take that of the vector, or of one of its components");
  if (a->kind == Expr::ThreadSize)
    return fail(Diag::no_address, e->range, kIntoVariable);
  if (!onDevice() && isListElement(a))
    return noElementAddress(a, e->range);
  const Variable* root = rootVariable(a);
  bool table = root && onDevice() && root->kind == Variable::Constant;
  if (onDevice() && root && root->side == Side::Host && !table)
    return fail(Diag::host_address_on_device, e->range, root->name);
  const Type* type = nullptr;
  if (root) {
    const_cast<Variable*>(root)->address_taken = true;
    Space space = root->kind == Variable::Shared ? Space::Shared
                  : table                        ? Space::Device
                  : root->side == Side::Host     ? Space::Host
                                                 : Space::Private;
    type = types_.pointer(a->type, space, isConst(a));
  } else {
    for (const Expr* at = a; !type; at = at->a)
      if ((at->kind == Expr::Index || at->kind == Expr::Deref) && at->a->type->isPointer())
        type = types_.pointer(a->type, at->a->type->space, isConst(a));
  }
  Expr* r = sema_.make(Expr::AddrOf, type, e->range);
  r->a = a;
  return r;
}

Expr* Body::deref(const ast::Expr* e) {
  Expr* a = rvalue(e->a);
  if (a->type->isError())
    return a;
  if (!a->type->isPointer())
    return fail(Diag::not_a_pointer, e->range, typeName(a->type), "");
  if (a->type->element->isVoid())
    return fail(Diag::void_pointer, e->range, typeName(a->type));
  touchMemory(a, e->range);
  Expr* r = sema_.make(Expr::Deref, a->type->element, e->range);
  r->a = a;
  return r;
}

Expr* Body::binary(const ast::Expr* e) {
  // Chains of one precedence lean left; walk them without recursion.
  std::vector<const ast::Expr*> chain;
  const ast::Expr* at = e;
  for (; at->kind == ast::Expr::Binary && at->binary < BinaryOp::LogicalAnd; at = at->a)
    chain.push_back(at);
  if (chain.empty())
    return logical(e);
  Expr* left = rvalue(at);
  for (auto it = chain.rbegin(); it != chain.rend(); ++it)
    if (!left->type->isError() || (*it)->binary != BinaryOp::Shl) { // cout << x << endl
      Expr* right = rvalue((*it)->b);
      if (warns())
        warnOfPrecedence(**it, *left->type, *right->type, sema_.warnings);
      if (warns() && !isGeneric())
        warnOfNeverNegative(**it, *left->type, *right->type, sema_.warnings);
      left = binaryOn((*it)->binary, left, right, (*it)->range);
    }
  return left;
}

Expr* Body::binaryOn(BinaryOp op, Expr* a, Expr* b, SourceRange range) {
  if (a->type->isError() || b->type->isError())
    return error(range);
  if (Expr* call = overloaded(sema_.arena.copy(fmt::format("operator{}", ast::spelling(op))), {a, b}, range))
    return call;
  bool pointers = a->type->isPointer() || b->type->isPointer();
  if (pointers && isComparison(op))
    return pointerComparison(op, a, b, range);
  if (pointers)
    return pointerArithmetic(op, a, b, range);
  return arithmetic(op, a, b, range);
}

Expr* Body::arithmetic(BinaryOp op, Expr* a, Expr* b, SourceRange range) {
  a = folded(sema_, a), b = folded(sema_, b);
  const Type* type = sema_.common(a->type, b->type);
  if (type && isShift(op) && a->type->isScalar())
    type = sema_.promoted(a->type);
  bool integers = isShift(op) || isBitwise(op) || op == BinaryOp::Rem;
  const Type* lane = type ? laneType(type) : nullptr;
  if (!type || (integers && (lane->isFloat() || laneType(b->type)->isFloat())) ||
      (!isComparison(op) && !isBitwise(op) && lane->isBool())) {
    return fail(Diag::bad_operands, range, ast::spelling(op), typeName(a->type), typeName(b->type),
                op == BinaryOp::Rem && lane && lane->isFloat() ? "use fmod(a, b)"
                                                               : missingOperator(op, a->type, b->type));
  }
  if (isComparison(op) && scope_ == Scope::Program && mixesSigns(*a, *b, *type))
    sema_.warnings.report(Diag::mixed_signs, range, typeWithArticle(a->type), typeWithArticle(b->type),
                          typeName(a->type), typeName(b->type));
  if (isShift(op) && warns() && !isGeneric())
    warnOfShift(*type, *b, range, sema_.warnings);
  Expr* r = sema_.make(Expr::Binary, type, range);
  // bool & bool stays a bool, comparisons of bools compare as ints
  if (a->type->isBool() && b->type->isBool() && isBitwise(op))
    r->type = type = types_.bool_;
  r->op = op, r->a = cast(a, type), r->b = cast(b, type);
  if (isComparison(op))
    r->type = type->isVector() ? types_.vector(types_.bool_, static_cast<unsigned>(type->count)) : types_.bool_;
  ConstValue value;
  if (r->a->kind == Expr::Constant && r->b->kind == Expr::Constant && r->type->isScalar() &&
      Sema::constantValue(r, value)) {
    if (warns())
      warnOfOverflow(*r, isGeneric(), sema_.warnings);
    Expr* folded = sema_.make(Expr::Constant, r->type, range);
    folded->value = value;
    return folded;
  }
  return r;
}

Expr* Body::pointerArithmetic(BinaryOp op, Expr* a, Expr* b, SourceRange range) {
  if (op == BinaryOp::Sub && a->type->isPointer() && b->type->isPointer()) {
    if (!sema_.sameType(a->type->element, b->type->element) || a->type->element->isVoid() ||
        !unify(a->type, b->type, range))
      return fail(Diag::bad_operands, range, "-", typeName(a->type), typeName(b->type),
                  "subtract pointers to one type");
    Expr* r = sema_.make(Expr::PtrDiff, types_.i64, range);
    r->a = a, r->b = b;
    return r;
  }
  if (op == BinaryOp::Add && a->type->isInt())
    std::swap(a, b);
  if ((op != BinaryOp::Add && op != BinaryOp::Sub) || !a->type->isPointer() || !b->type->isInt() ||
      a->type->element->isVoid())
    return fail(Diag::bad_operands, range, ast::spelling(op), typeName(a->type), typeName(b->type),
                "a pointer takes + and - with a whole number");
  Expr* r = sema_.make(Expr::PtrAdd, a->type, range);
  r->op = op, r->a = a, r->b = b;
  return r;
}

Expr* Body::pointerComparison(BinaryOp op, Expr* a, Expr* b, SourceRange range) {
  const Type* type = a->type->isPointer() ? a->type : b->type;
  if ((a->type->isPointer() && a->type->to_const) || (b->type->isPointer() && b->type->to_const))
    type = types_.pointer(type->element, type->space, true);
  if (!convertible(a, type) || !convertible(b, type))
    return fail(Diag::bad_operands, range, ast::spelling(op), typeName(a->type), typeName(b->type),
                "compare pointers to one type");
  Expr* r = sema_.make(Expr::Binary, types_.bool_, range);
  r->op = op, r->a = convert(a, type, "this comparison"), r->b = convert(b, type, "this comparison");
  return r->a->type->isError() || r->b->type->isError() ? error(range) : r;
}

std::optional<bool> Body::constantCondition(const Expr* condition) {
  ConstValue known;
  bool is_known = !condition->type->isError() && Sema::constantValue(condition, known);
  return is_known ? std::optional(known.integer != 0) : std::nullopt;
}

// An operand of && or ||, or an arm of ?:, stands under the condition `around`. Under a constant there is no condition, and
// only the type counts of one that is left out.
Expr* Body::operand(const ast::Expr* e, const Enclosing& around, bool is_constant, bool left_out) {
  if (!is_constant)
    enclosing_.push_back(around);
  unevaluated_ += left_out;
  Expr* value = around.inArm() ? decay(expr(e)) : rvalue(e);
  unevaluated_ -= left_out;
  if (!is_constant)
    enclosing_.pop_back();
  return value;
}

Expr* Body::logical(const ast::Expr* e) {
  if (e->binary == BinaryOp::Comma) {
    Expr* r = sema_.make(Expr::Comma, nullptr, e->range);
    r->a = decay(expr(e->a)), r->b = decay(expr(e->b));
    if (warns())
      warnOfDropped(*r->a, sema_);
    if (r->a->type->isError() || r->b->type->isError())
      return error(e->range);
    if (r->b->type->holds_lists)
      return noListValue(r->b, "the value of a comma");
    r->type = r->b->type;
    return r;
  }
  bool is_and = e->binary == BinaryOp::LogicalAnd;
  Expr* r = sema_.make(is_and ? Expr::LogicalAnd : Expr::LogicalOr, types_.bool_, e->range);
  Expr* a = rvalue(e->a);
  auto isVector = [](const Expr* part) { return part->type->isVector() && part->type->element->isBool(); };
  auto refuse = [&](const Expr* part) {
    return fail(Diag::vector_condition, e->range, is_and ? "'&&'" : "'||'", typeWithArticle(part->type),
                is_and ? "join vectors with '&'; where one answer is wanted, all(v) or any(v) gives it"
                       : "join vectors with '|'; where one answer is wanted, any(v) or all(v) gives it");
  };
  if (isVector(a))
    return refuse(a);
  r->a = toBool(a);
  std::optional<bool> known = constantCondition(r->a);
  bool decided = known && *known != is_and;
  Expr* b = operand(e->b, {r->a, e->a->range, is_and ? Construct::And : Construct::Or, nullptr, !is_and},
                    known.has_value(), decided);
  if (isVector(b))
    return refuse(b);
  r->b = toBool(b);
  if (decided && !r->b->type->isError())
    r->b = number(!is_and, types_.bool_, e->b->range);
  return r->a->type->isError() || r->b->type->isError() ? error(e->range) : r;
}

Expr* Body::conditional(const ast::Expr* e) {
  Expr* r = sema_.make(Expr::Conditional, nullptr, e->range);
  Expr* asked = rvalue(e->a);
  if (asked->type->isVector() && asked->type->element->isBool())
    asked = fail(Diag::vector_condition, e->a->range, "'?:'", typeWithArticle(asked->type),
                 "select(v, a, b) chooses by component; where one answer is wanted, any(v) or all(v) gives it");
  r->a = toBool(asked);
  std::optional<bool> known = constantCondition(r->a);
  Expr* b = operand(e->b, {r->a, e->a->range, Construct::Choice}, known.has_value(), known && !*known);
  Expr* c = operand(e->c, {r->a, e->a->range, Construct::Choice, nullptr, true}, known.has_value(), known && *known);
  if (r->a->type->isError() || b->type->isError() || c->type->isError())
    return error(e->range);
  const Type* type = sema_.common(b->type, c->type);
  if (sema_.sameType(b->type, c->type) || b->type->space)
    type = b->type;
  else if (c->type->space)
    type = c->type;
  if (type && (dropsConst(b, type) || dropsConst(c, type)))
    type = types_.constReaching(type);
  if (b->type->holds_lists || c->type->holds_lists)
    return noListValue(b->type->holds_lists ? b : c, "an arm of '?:'");
  if (!type || !convertible(b, type) || !convertible(c, type))
    return fail(Diag::bad_operands, e->range, "?:", typeName(b->type), typeName(c->type), "give both arms one type");
  r->type = type;
  r->b = convert(b, type, "an arm of ?:"), r->c = convert(c, type, "an arm of ?:");
  if (r->b->type->isError() || r->c->type->isError())
    return error(e->range);
  if (Expr*& left_out = known && *known ? r->c : r->b; known)
    left_out = type->isVoid() ? nothing(left_out->range) : zero(type, left_out->range);
  return r;
}

} // namespace bsgp::sema
