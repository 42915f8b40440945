#include "arrays/operations.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include <fmt/format.h>

namespace bsgp::arrays {

namespace {

constexpr TypeInfo kTypes[] = {
    {"bool", 1, TypeKind::Bool},         {"int8", 1, TypeKind::Signed},         {"int16", 2, TypeKind::Signed},
    {"int32", 4, TypeKind::Signed},      {"int64", 8, TypeKind::Signed},        {"uint8", 1, TypeKind::Unsigned},
    {"uint16", 2, TypeKind::Unsigned},   {"uint32", 4, TypeKind::Unsigned},     {"uint64", 8, TypeKind::Unsigned},
    {"float16", 2, TypeKind::Float},     {"float32", 4, TypeKind::Float},       {"float64", 8, TypeKind::Float},
    {"complex64", 8, TypeKind::Complex}, {"complex128", 16, TypeKind::Complex},
};
static_assert(std::size(kTypes) == BSGP_DTYPE_COUNT);

constexpr Operation kOperations[] = {
    {"negative", 1, Rule::Number, 1},
    {"abs", 1, Rule::Number, 1, OfComplex::Part},
    {"sign", 1, Rule::Number, 2},
    {"square", 1, Rule::Number, 1},
    {"reciprocal", 1, Rule::Float, 3},
    {"floor", 1, Rule::Number, 1, OfComplex::None},
    {"ceil", 1, Rule::Number, 1, OfComplex::None},
    {"trunc", 1, Rule::Number, 1, OfComplex::None},
    {"round", 1, Rule::Number, 1},
    {"sqrt", 1, Rule::Float, 4},
    {"exp", 1, Rule::Float, 10},
    {"exp2", 1, Rule::Float, 10},
    {"expm1", 1, Rule::Float, 14},
    {"log", 1, Rule::Float, 10},
    {"log2", 1, Rule::Float, 10},
    {"log10", 1, Rule::Float, 10},
    {"log1p", 1, Rule::Float, 14},
    {"sin", 1, Rule::Float, 12},
    {"cos", 1, Rule::Float, 12},
    {"tan", 1, Rule::Float, 20},
    {"asin", 1, Rule::Float, 14},
    {"acos", 1, Rule::Float, 14},
    {"atan", 1, Rule::Float, 14},
    {"sinh", 1, Rule::Float, 16},
    {"cosh", 1, Rule::Float, 16},
    {"tanh", 1, Rule::Float, 16},
    {"asinh", 1, Rule::Float, 20},
    {"acosh", 1, Rule::Float, 20},
    {"atanh", 1, Rule::Float, 20},
    {"cbrt", 1, Rule::Float, 16, OfComplex::None},
    {"erf", 1, Rule::Float, 20, OfComplex::None},
    {"erfc", 1, Rule::Float, 20, OfComplex::None},
    {"isnan", 1, Rule::Test, 1},
    {"isinf", 1, Rule::Test, 1},
    {"isfinite", 1, Rule::Test, 1},
    {"signbit", 1, Rule::Test, 1, OfComplex::None},
    {"logical_not", 1, Rule::Logic, 1},
    {"bitwise_invert", 1, Rule::Bits, 1},
    {"real", 1, Rule::Any, 1, OfComplex::Part},
    {"imag", 1, Rule::Any, 1, OfComplex::Part},
    {"conj", 1, Rule::Any, 1},
    {"angle", 1, Rule::Float, 20, OfComplex::Part},
    {"add", 2, Rule::Any, 1},
    {"subtract", 2, Rule::Number, 1},
    {"multiply", 2, Rule::Any, 1},
    {"divide", 2, Rule::Float, 3},
    {"floor_divide", 2, Rule::Number, 8, OfComplex::NoOrder},
    {"remainder", 2, Rule::Number, 8, OfComplex::NoOrder},
    {"minimum", 2, Rule::Any, 1, OfComplex::NoOrder},
    {"maximum", 2, Rule::Any, 1, OfComplex::NoOrder},
    {"pow", 2, Rule::Number, 30},
    {"atan2", 2, Rule::Float, 20, OfComplex::None},
    {"hypot", 2, Rule::Float, 10, OfComplex::None},
    {"copysign", 2, Rule::Float, 1, OfComplex::None},
    {"equal", 2, Rule::Compare, 1},
    {"not_equal", 2, Rule::Compare, 1},
    {"less", 2, Rule::Compare, 1, OfComplex::NoOrder},
    {"less_equal", 2, Rule::Compare, 1, OfComplex::NoOrder},
    {"greater", 2, Rule::Compare, 1, OfComplex::NoOrder},
    {"greater_equal", 2, Rule::Compare, 1, OfComplex::NoOrder},
    {"logical_and", 2, Rule::Logic, 1},
    {"logical_or", 2, Rule::Logic, 1},
    {"logical_xor", 2, Rule::Logic, 1},
    {"bitwise_and", 2, Rule::Bits, 1},
    {"bitwise_or", 2, Rule::Bits, 1},
    {"bitwise_xor", 2, Rule::Bits, 1},
    {"bitwise_left_shift", 2, Rule::Shift, 1},
    {"bitwise_right_shift", 2, Rule::Shift, 1},
    {"random_bits", 2, Rule::Words, 20},
    {"cond", 3, Rule::Choice, 1},
    {"select", 3, Rule::SignChoice, 2},
    {"fma", 3, Rule::Float, 1, OfComplex::None},
};
static_assert(std::size(kOperations) == BSGP_OP_COUNT);

constexpr Fold kFolds[] = {
    {"sum", BSGP_OP_ADD, true, false},         {"prod", BSGP_OP_MULTIPLY, true, false},
    {"min", BSGP_OP_MINIMUM, false, false},    {"max", BSGP_OP_MAXIMUM, false, false},
    {"all", BSGP_OP_LOGICAL_AND, false, true}, {"any", BSGP_OP_LOGICAL_OR, false, true},
};
static_assert(std::size(kFolds) == BSGP_FOLD_COUNT);

TypeKind kindOf(bsgp_dtype type) {
  return info(type).kind;
}

// Bools, then integers, floats and complex numbers: a weak number takes the type of an array of its own group or of a later one.
int groupOf(bsgp_dtype type) {
  return kindOf(type) == TypeKind::Bool ? 0 : isInteger(type) ? 1 : kindOf(type) == TypeKind::Float ? 2 : 3;
}

bsgp_dtype defaultOf(int group) {
  constexpr bsgp_dtype kDefaults[] = {BSGP_BOOL, BSGP_INT64, BSGP_FLOAT64, BSGP_COMPLEX128};
  return kDefaults[group];
}

bsgp_dtype typeOf(TypeKind kind, unsigned bytes) {
  for (int i = 0; i < BSGP_DTYPE_COUNT; ++i)
    if (kTypes[i].kind == kind && kTypes[i].bytes == bytes)
      return bsgp_dtype(i);
  return BSGP_FLOAT64;
}

bsgp_dtype partOf(bsgp_dtype complex) {
  return typeOf(TypeKind::Float, info(complex).bytes / 2);
}

bsgp_dtype complexOf(bsgp_dtype real) {
  return typeOf(TypeKind::Complex, std::max(2 * info(real).bytes, 8));
}

// An integer and a float: a float that holds the integer, as far as there is one.
bsgp_dtype withFloat(bsgp_dtype integer, bsgp_dtype real) {
  unsigned needed = info(integer).bytes >= 4 ? 8 : 2 * info(integer).bytes;
  return typeOf(TypeKind::Float, std::max<unsigned>(needed, info(real).bytes));
}

bsgp_dtype withSigned(bsgp_dtype is_unsigned, bsgp_dtype is_signed) {
  if (info(is_signed).bytes > info(is_unsigned).bytes)
    return is_signed;
  return info(is_unsigned).bytes == 8 ? BSGP_FLOAT64 : typeOf(TypeKind::Signed, 2 * info(is_unsigned).bytes);
}

bsgp_dtype common(bsgp_dtype a, bsgp_dtype b) {
  if (kindOf(a) == kindOf(b))
    return info(a).bytes >= info(b).bytes ? a : b;
  if (kindOf(a) > kindOf(b))
    std::swap(a, b);
  if (kindOf(a) == TypeKind::Bool)
    return b;
  if (kindOf(b) == TypeKind::Complex)
    return complexOf(common(a, partOf(b)));
  return kindOf(b) == TypeKind::Float ? withFloat(a, b) : withSigned(b, a);
}

bool takes(Rule rule, bsgp_dtype type) {
  switch (rule) {
  case Rule::Number:
  case Rule::Test:
    return kindOf(type) != TypeKind::Bool;
  case Rule::Logic:
    return kindOf(type) == TypeKind::Bool;
  case Rule::Bits:
    return kindOf(type) < TypeKind::Float;
  case Rule::Shift:
    return isInteger(type);
  case Rule::Words:
    return type == BSGP_UINT64;
  default:
    return true;
  }
}

const char* wantedBy(Rule rule) {
  switch (rule) {
  case Rule::Logic:
    return "takes bools: compare first, as in not_equal(a, 0)";
  case Rule::Bits:
    return "takes bools and integers: convert by astype";
  case Rule::Shift:
    return "takes integers: convert by astype";
  case Rule::Words:
    return "takes uint64: convert by astype";
  default:
    return "takes no bools: convert by astype";
  }
}

bsgp_dtype operandType(Rule rule, bsgp_dtype type) {
  return rule == Rule::Float && kindOf(type) < TypeKind::Float ? BSGP_FLOAT64 : type;
}

Error wrongOperand(bsgp_operation operation, bsgp_dtype type, const char* reason) {
  return Error{fmt::format("{}: an operand of type {}\n  help: {} {}", info(operation).name, info(type).name,
                           info(operation).name, reason),
               Mistake::Type};
}

Result<void> checkType(bsgp_operation operation, bsgp_dtype type) {
  const Operation& known = info(operation);
  if (known.of_complex == OfComplex::NoOrder && isComplex(type))
    return needsOrder(known.name, type);
  bool is_refused = isComplex(type) && (known.of_complex == OfComplex::None || !takes(known.rule, type));
  if (is_refused && known.rule != Rule::Logic)
    return wrongOperand(operation, type,
                        operation == BSGP_OP_FMA ? "takes no complex numbers: write a * b + c"
                                                 : "takes no complex numbers: use real(a), imag(a) or abs(a)");
  if (!takes(known.rule, type))
    return wrongOperand(operation, type, wantedBy(known.rule));
  return {};
}

// Asks what is chosen by.
Result<void> checkCondition(bsgp_operation operation, bsgp_dtype type) {
  Rule rule = info(operation).rule;
  if (rule == Rule::SignChoice)
    return needsOrder(info(operation).name, type);
  if (rule != Rule::Choice || type == BSGP_BOOL)
    return {};
  return wrongOperand(operation, type,
                      isComplex(type) ? "asks a bool first: compare, as in not_equal(a, 0)"
                                      : "asks a bool first: compare, or use select, which asks a > 0");
}

} // namespace

const TypeInfo& info(bsgp_dtype type) {
  return kTypes[type];
}

bsgp_dtype computedType(bsgp_dtype type) {
  return type == BSGP_FLOAT16 ? BSGP_FLOAT32 : type;
}

bool isInteger(bsgp_dtype type) {
  return kindOf(type) == TypeKind::Signed || kindOf(type) == TypeKind::Unsigned;
}

bool isComplex(bsgp_dtype type) {
  return kindOf(type) == TypeKind::Complex;
}

const Operation& info(bsgp_operation operation) {
  return kOperations[operation];
}

const Fold& info(bsgp_fold fold) {
  return kFolds[fold];
}

TypeOf commonType(TypeOf a, TypeOf b) {
  if (a.weak == b.weak)
    return {common(a.type, b.type), a.weak};
  if (a.weak)
    std::swap(a, b);
  if (isComplex(b.type) && kindOf(a.type) == TypeKind::Float)
    return {complexOf(a.type), false};
  return {groupOf(b.type) <= groupOf(a.type) ? a.type : common(a.type, defaultOf(groupOf(b.type))), false};
}

Result<Typed> typeOperation(bsgp_operation operation, const TypeOf* operands) {
  const Operation& known = info(operation);
  bool chooses = known.rule == Rule::Choice || known.rule == Rule::SignChoice;
  if (auto fits = checkCondition(operation, operands[0].type); !fits)
    return fits.error();
  TypeOf all = operands[chooses ? 1 : 0];
  for (int i = chooses ? 2 : 1; i < known.operands; ++i)
    all = commonType(all, operands[i]);
  if (auto fits = checkType(operation, all.type); !fits)
    return fits.error();
  bsgp_dtype type = operandType(known.rule, all.type);
  bool is_bool = known.rule == Rule::Compare || known.rule == Rule::Test || known.rule == Rule::Logic;
  bool is_part = isComplex(type) && known.of_complex == OfComplex::Part;
  return Typed{operands[0].type, type, {is_bool ? BSGP_BOOL : is_part ? partOf(type) : type, all.weak && !is_bool}};
}

bsgp_dtype foldedType(bsgp_fold fold, bsgp_dtype type) {
  if (info(fold).tests)
    return BSGP_BOOL;
  if (!info(fold).widens || kindOf(type) >= TypeKind::Float)
    return type;
  return kindOf(type) == TypeKind::Unsigned ? BSGP_UINT64 : BSGP_INT64;
}

Result<void> needsOrder(const char* what, bsgp_dtype type) {
  if (!isComplex(type))
    return {};
  return Error{fmt::format("{}: numbers of type {}\n  help: complex numbers have no order: use abs(a) or real(a)", what,
                           info(type).name),
               Mistake::Type};
}

} // namespace bsgp::arrays
