// Operations on elements as expressions of the language: those of loops/loops.cpp, to the bit. The longer ones are functions of
// stdlib/include/__arrays.bsgp.
#include "arrays/device/nodes.h"

namespace bsgp::arrays {

using ast::BinaryOp;
using ast::Expr;
using ast::UnaryOp;

namespace {

bool isFloat(bsgp_dtype type) {
  return info(type).kind == TypeKind::Float;
}

// Binary operators of numbers; of integers they wrap.
Expr* arithmetic(Nodes& n, BinaryOp op, const Instruction& made, int second = 1) {
  bsgp_dtype wide = wrappingType(made.from);
  Expr *a = n.cast(wide, n.value(made.operands[0])), *b = n.cast(wide, n.value(made.operands[second]));
  return n.cast(made.type, n.binary(op, a, b));
}

// Bools are compared as numbers.
Expr* compared(Nodes& n, BinaryOp op, const Instruction& made) {
  bsgp_dtype type = made.from == BSGP_BOOL ? BSGP_INT32 : made.from;
  return n.binary(op, n.cast(type, n.value(made.operands[0])), n.cast(type, n.value(made.operands[1])));
}

Expr* called(Nodes& n, const char* function, const Instruction& made, bsgp_dtype type) {
  std::vector<Expr*> arguments;
  for (int i = 0; i < 3 && made.operands[i] >= 0; ++i)
    arguments.push_back(n.cast(type, n.value(made.operands[i])));
  return n.cast(made.type, n.call(function, arguments));
}

Expr* negative(Nodes& n, const Instruction& made) {
  if (isFloat(made.from))
    return n.b.unary(UnaryOp::Neg, n.value(made.operands[0]), n.at);
  bsgp_dtype wide = wrappingType(made.from);
  return n.cast(made.type, n.binary(BinaryOp::Sub, n.number(0, wide), n.cast(wide, n.value(made.operands[0]))));
}

Expr* isBelowZero(Nodes& n, const Instruction& made) {
  return n.binary(BinaryOp::Lt, n.value(made.operands[0]), n.number(0, made.from));
}

Expr* absolute(Nodes& n, const Instruction& made) {
  if (isFloat(made.from))
    return n.call("fabs", {n.value(made.operands[0])});
  if (info(made.from).kind == TypeKind::Unsigned)
    return n.value(made.operands[0]);
  return n.b.choose(isBelowZero(n, made), negative(n, made), n.value(made.operands[0]), n.at);
}

Expr* inverted(Nodes& n, const Instruction& made) {
  Expr* a = n.value(made.operands[0]);
  return made.from == BSGP_BOOL ? n.b.unary(UnaryOp::Not, a, n.at)
                                : n.cast(made.type, n.b.unary(UnaryOp::BitNot, a, n.at));
}

Expr* shifted(Nodes& n, const Instruction& made) {
  bool left = made.operation == BSGP_OP_SHIFT_LEFT;
  Expr* a = n.cast(left ? wrappingType(made.from) : dividingType(made.from), n.value(made.operands[0]));
  Expr* by = n.cast(dividingType(made.from), n.value(made.operands[1]));
  Expr* bits = n.number(8u * info(made.from).bytes, BSGP_INT32);
  return n.cast(made.type, n.call(left ? "__array_shift_left" : "__array_shift_right", {a, by, bits}));
}

// Integers have neither infinities nor NaNs.
Expr* tested(Nodes& n, const Instruction& made) {
  if (made.operation == BSGP_OP_SIGNBIT)
    return isBelowZero(n, made);
  return n.b.boolean(made.operation == BSGP_OP_ISFINITE, n.at);
}

Expr* ofFloat(Nodes& n, const Instruction& made) {
  Expr* a = n.value(made.operands[0]);
  switch (made.operation) {
  case BSGP_OP_ISNAN:
    return n.binary(BinaryOp::Ne, a, n.value(made.operands[0]));
  case BSGP_OP_ISINF:
    return n.call("__array_is_infinite", {a});
  case BSGP_OP_ISFINITE:
    return n.call("__array_is_finite", {a});
  default:
    return n.call("signbit", {a});
  }
}

// Rounding of integers.
bool keepsIntegers(bsgp_operation operation) {
  return operation == BSGP_OP_FLOOR || operation == BSGP_OP_CEIL || operation == BSGP_OP_TRUNC ||
         operation == BSGP_OP_ROUND;
}

Expr* ofOne(Nodes& n, const Instruction& made) {
  switch (made.operation) {
  case BSGP_OP_NEGATIVE:
    return negative(n, made);
  case BSGP_OP_ABS:
    return absolute(n, made);
  case BSGP_OP_SIGN:
    return called(n, "__array_sign", made, made.from);
  case BSGP_OP_SQUARE:
    return arithmetic(n, BinaryOp::Mul, made, 0);
  case BSGP_OP_RECIPROCAL:
    return n.binary(BinaryOp::Div, n.number(1, made.from), n.value(made.operands[0]));
  case BSGP_OP_ISNAN:
  case BSGP_OP_ISINF:
  case BSGP_OP_ISFINITE:
  case BSGP_OP_SIGNBIT:
    return isFloat(made.from) ? ofFloat(n, made) : tested(n, made);
  case BSGP_OP_LOGICAL_NOT:
  case BSGP_OP_INVERT:
    return inverted(n, made);
  default:
    if (keepsIntegers(made.operation) && !isFloat(made.from))
      return n.value(made.operands[0]);
    return called(n, made.operation == BSGP_OP_ROUND ? "rint" : info(made.operation).name, made, made.from);
  }
}

Expr* ofBools(Nodes& n, const Instruction& made, BinaryOp op) {
  return n.cast(BSGP_BOOL, n.binary(op, n.value(made.operands[0]), n.value(made.operands[1])));
}

Expr* ofTwo(Nodes& n, const Instruction& made) {
  bool bools = made.from == BSGP_BOOL;
  switch (made.operation) {
  case BSGP_OP_ADD:
    return bools ? ofBools(n, made, BinaryOp::BitOr) : arithmetic(n, BinaryOp::Add, made);
  case BSGP_OP_SUBTRACT:
    return arithmetic(n, BinaryOp::Sub, made);
  case BSGP_OP_MULTIPLY:
    return bools ? ofBools(n, made, BinaryOp::BitAnd) : arithmetic(n, BinaryOp::Mul, made);
  case BSGP_OP_DIVIDE:
    return n.binary(BinaryOp::Div, n.value(made.operands[0]), n.value(made.operands[1]));
  case BSGP_OP_FLOOR_DIVIDE:
    return called(n, "__array_quotient", made, dividingType(made.from));
  case BSGP_OP_REMAINDER:
    return called(n, "__array_remainder", made, dividingType(made.from));
  case BSGP_OP_MINIMUM:
    return bools ? ofBools(n, made, BinaryOp::BitAnd) : called(n, "__array_minimum", made, made.from);
  case BSGP_OP_MAXIMUM:
    return bools ? ofBools(n, made, BinaryOp::BitOr) : called(n, "__array_maximum", made, made.from);
  case BSGP_OP_POW:
    return isFloat(made.from) ? called(n, "pow", made, made.from)
                              : called(n, "__array_power", made, dividingType(made.from));
  case BSGP_OP_EQUAL:
    return compared(n, BinaryOp::Eq, made);
  case BSGP_OP_NOT_EQUAL:
    return compared(n, BinaryOp::Ne, made);
  case BSGP_OP_LESS:
    return compared(n, BinaryOp::Lt, made);
  case BSGP_OP_LESS_EQUAL:
    return compared(n, BinaryOp::Le, made);
  case BSGP_OP_GREATER:
    return compared(n, BinaryOp::Gt, made);
  case BSGP_OP_GREATER_EQUAL:
    return compared(n, BinaryOp::Ge, made);
  case BSGP_OP_LOGICAL_AND:
  case BSGP_OP_AND:
    return bools ? ofBools(n, made, BinaryOp::BitAnd) : arithmetic(n, BinaryOp::BitAnd, made);
  case BSGP_OP_LOGICAL_OR:
  case BSGP_OP_OR:
    return bools ? ofBools(n, made, BinaryOp::BitOr) : arithmetic(n, BinaryOp::BitOr, made);
  case BSGP_OP_LOGICAL_XOR:
  case BSGP_OP_XOR:
    return bools ? ofBools(n, made, BinaryOp::BitXor) : arithmetic(n, BinaryOp::BitXor, made);
  case BSGP_OP_SHIFT_LEFT:
  case BSGP_OP_SHIFT_RIGHT:
    return shifted(n, made);
  case BSGP_OP_RANDOM_BITS:
    return called(n, "__array_random_bits", made, made.from);
  default: // atan2, hypot, copysign
    return called(n, info(made.operation).name, made, made.from);
  }
}

} // namespace

const char* treeType(bsgp_dtype type) {
  constexpr const char* kNames[BSGP_DTYPE_COUNT] = {"bool", "i8",  "i16", "i32", "i64", "u8",
                                                    "u16",  "u32", "u64", "f16", "f32", "f64"};
  return kNames[type];
}

bsgp_dtype wrappingType(bsgp_dtype type) {
  if (isFloat(type))
    return type;
  return info(type).bytes == 8 ? BSGP_UINT64 : BSGP_UINT32;
}

bsgp_dtype dividingType(bsgp_dtype type) {
  if (isFloat(type))
    return type;
  bool is_signed = info(type).kind == TypeKind::Signed;
  return info(type).bytes == 8 ? (is_signed ? BSGP_INT64 : BSGP_UINT64) : is_signed ? BSGP_INT32 : BSGP_UINT32;
}

Expr* applied(Nodes& n, const Instruction& made) {
  int32_t operands = info(made.operation).operands;
  if (operands == 1)
    return ofOne(n, made);
  if (operands == 2)
    return ofTwo(n, made);
  if (made.operation == BSGP_OP_FMA)
    return called(n, "fma", made, made.from);
  return n.b.choose(n.value(made.operands[0]), n.value(made.operands[1]), n.value(made.operands[2]), n.at);
}

// Halves go by float, or by double where a number may not be exact as a float.
Expr* converted(Nodes& n, const Instruction& made) {
  Expr* a = n.value(made.operands[0]);
  if (made.from == BSGP_FLOAT16 && made.type != BSGP_FLOAT32)
    a = n.cast(BSGP_FLOAT32, a);
  if (made.type == BSGP_FLOAT16 && !isFloat(made.from))
    a = n.cast(BSGP_FLOAT64, a);
  if (made.type == BSGP_BOOL)
    return n.binary(BinaryOp::Ne, a, n.number(0, made.from == BSGP_FLOAT16 ? BSGP_FLOAT32 : made.from));
  return n.cast(made.type, a);
}

} // namespace bsgp::arrays
