#include "sema/constant.h"

#include <bit>
#include <cmath>
#include <limits>

#include "sema/services.h"
#include "sema/statements.h"
#include "support/half.h"

namespace bsgp::sema {

namespace {

int64_t wrap(int64_t value, const Type* type) {
  if (type->isBool())
    return value != 0;
  unsigned shift = 64 - type->bits;
  if (!shift)
    return value;
  return type->is_signed ? int64_t(uint64_t(value) << shift) >> shift : int64_t(uint64_t(value) << shift >> shift);
}

// A sum, product or quotient of two numbers of `type`, computed in double, is rounded twice here, but gives the same
// as if rounded once: double has more than twice their digits. A NaN is always the positive one, whichever the
// compiler's machine makes.
double rounded(double value, const Type* type) {
  if (std::isnan(value))
    return std::numeric_limits<double>::quiet_NaN();
  return type->bits == 16 ? roundToHalf(value) : type->bits == 32 ? double(float(value)) : value;
}

// double holds no more than 53 of 64 bits, so a float is made of the integer itself. A number too large for half
// becomes infinite.
template <class Integer> double rounded(Integer value, const Type* type) {
  return type->bits == 32 ? double(float(value)) : rounded(double(value), type);
}

int64_t saturated(double v, const Type* to) {
  if (std::isnan(v))
    return 0;
  if (!to->is_signed) {
    double top = std::ldexp(1.0, to->bits);
    return v <= 0 ? 0 : v >= top ? int64_t(~uint64_t(0) >> (64 - to->bits)) : int64_t(uint64_t(v));
  }
  double top = std::ldexp(1.0, to->bits - 1);
  return v >= top   ? int64_t(~uint64_t(0) >> (65 - to->bits))
         : v < -top ? -int64_t(uint64_t(1) << (to->bits - 1))
                    : int64_t(v);
}

ConstValue castValue(ConstValue v, const Type* from, const Type* to) {
  if (from->isFloat()) {
    if (to->isFloat())
      return {0, rounded(v.floating, to)};
    if (to->isBool())
      return {v.floating != 0, 0};
    return {saturated(v.floating, to), 0};
  }
  if (to->isFloat())
    return {0, !from->isBool() && !from->is_signed ? rounded(uint64_t(v.integer), to) : rounded(v.integer, to)};
  return {wrap(v.integer, to), 0};
}

template <class T> bool compare(ast::BinaryOp op, T a, T b, int64_t& out) {
  switch (op) {
  case ast::BinaryOp::Lt:
    out = a < b;
    return true;
  case ast::BinaryOp::Gt:
    out = a > b;
    return true;
  case ast::BinaryOp::Le:
    out = a <= b;
    return true;
  case ast::BinaryOp::Ge:
    out = a >= b;
    return true;
  case ast::BinaryOp::Eq:
    out = a == b;
    return true;
  case ast::BinaryOp::Ne:
    out = a != b;
    return true;
  default:
    return false;
  }
}

bool floatBinary(ast::BinaryOp op, double a, double b, const Type* type, ConstValue& out) {
  if (compare(op, a, b, out.integer))
    return true;
  switch (op) {
  case ast::BinaryOp::Add:
    out.floating = rounded(a + b, type);
    return true;
  case ast::BinaryOp::Sub:
    out.floating = rounded(a - b, type);
    return true;
  case ast::BinaryOp::Mul:
    out.floating = rounded(a * b, type);
    return true;
  case ast::BinaryOp::Div:
    out.floating = rounded(a / b, type);
    return true;
  default:
    return false;
  }
}

bool intBinary(ast::BinaryOp op, int64_t a, int64_t b, const Type* type, ConstValue& out) {
  bool is_signed = type->is_signed || type->isBool();
  if (is_signed ? compare(op, a, b, out.integer) : compare(op, uint64_t(a), uint64_t(b), out.integer))
    return true;
  uint64_t x = uint64_t(a), y = uint64_t(b), r = 0;
  unsigned shift = unsigned(y) & (type->bits - 1u);
  switch (op) {
  case ast::BinaryOp::Add:
    r = x + y;
    break;
  case ast::BinaryOp::Sub:
    r = x - y;
    break;
  case ast::BinaryOp::Mul:
    r = x * y;
    break;
  case ast::BinaryOp::Div:
    if (!y)
      return false;
    r = is_signed ? (b == -1 ? 0 - x : uint64_t(a / b)) : x / y;
    break;
  case ast::BinaryOp::Rem:
    if (!y)
      return false;
    r = is_signed ? (b == -1 ? 0 : uint64_t(a % b)) : x % y;
    break;
  case ast::BinaryOp::Shl:
    r = x << shift;
    break;
  case ast::BinaryOp::Shr:
    r = is_signed ? uint64_t(a >> shift) : x >> shift;
    break;
  case ast::BinaryOp::BitAnd:
    r = x & y;
    break;
  case ast::BinaryOp::BitOr:
    r = x | y;
    break;
  case ast::BinaryOp::BitXor:
    r = x ^ y;
    break;
  default:
    return false;
  }
  out.integer = wrap(int64_t(r), type);
  return true;
}

} // namespace

bool constantValue(const Expr* e, ConstValue& out) {
  ConstValue a, b;
  switch (e->kind) {
  case Expr::Constant:
    out = e->value;
    return e->type->isScalar();
  case Expr::Var:
    if (!e->type->isScalar() || !e->variable->is_const || e->variable->constants.empty())
      return false;
    out = e->variable->constants[0];
    return true;
  case Expr::Cast:
    if (!e->type->isScalar() || !e->a->type->isScalar() || !constantValue(e->a, a))
      return false;
    out = castValue(a, e->a->type, e->type);
    return true;
  case Expr::Neg:
    if (!e->type->isScalar() || !constantValue(e->a, a))
      return false;
    out = {e->type->isFloat() ? 0 : wrap(int64_t(0 - uint64_t(a.integer)), e->type), -a.floating};
    return true;
  case Expr::Not:
    return constantValue(e->a, a) && (out.integer = !a.integer, true);
  case Expr::BitNot:
    return e->type->isScalar() && constantValue(e->a, a) && (out.integer = wrap(~a.integer, e->type), true);
  case Expr::Binary: // asked at each + of a long sum, whose left side has all the others
    e->varies = e->varies || !e->a->type->isScalar() || !constantValue(e->a, a) || !constantValue(e->b, b);
    if (e->varies)
      return false;
    return e->a->type->isFloat() ? floatBinary(e->op, a.floating, b.floating, e->a->type, out)
                                 : intBinary(e->op, a.integer, b.integer, e->a->type, out);
  case Expr::LogicalAnd: // the left side alone may decide
  case Expr::LogicalOr: {
    bool deciding = e->kind == Expr::LogicalOr;
    e->varies = e->varies || !constantValue(e->a, a) || ((a.integer != 0) != deciding && !constantValue(e->b, b));
    if (e->varies)
      return false;
    out.integer = deciding ? a.integer || b.integer : a.integer && b.integer;
    return true;
  }
  case Expr::Conditional:
    return constantValue(e->a, a) && constantValue(a.integer ? e->b : e->c, out);
  default:
    return false;
  }
}

// The scalars of a constant initializer, in memory order.
bool constantLeaves(Sema& sema, const Expr* init, const Type* type, std::vector<ConstValue>& out, bool texts) {
  ConstValue value;
  if (type->isScalar()) {
    if (!constantValue(init, value))
      return false;
    out.push_back(value);
    return true;
  }
  while (texts && type->isPointer() && init->kind == Expr::Cast && init->a->type->isPointer())
    init = init->a;
  if (texts && init->kind == Expr::String) {
    out.emplace_back().text = &init->text;
    return true;
  }
  if (init->kind == Expr::Null) {
    out.push_back({});
    return true;
  }
  if (init->kind == Expr::Var && init->variable->kind == Variable::Constant) {
    out.insert(out.end(), init->variable->constants.begin(), init->variable->constants.end());
    return true;
  }
  if (init->kind != Expr::Construct)
    return false;
  if (type->isVector() && init->args.size() == 1 && type->count != 1) {
    std::vector<ConstValue> one;
    if (!constantLeaves(sema, init->args[0], type->element, one, texts))
      return false;
    out.insert(out.end(), type->count, one[0]);
    return true;
  }
  for (size_t i = 0; i < init->args.size(); ++i) {
    const Type* part = type->isStruct()                  ? type->structure->fields[i].type
                       : init->args[i]->type->isVector() ? init->args[i]->type
                                                         : type->element;
    if (!constantLeaves(sema, init->args[i], part, out, texts))
      return false;
  }
  return true;
}

} // namespace bsgp::sema
