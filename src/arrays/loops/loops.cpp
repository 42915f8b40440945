// The loops themselves. Compiled once for each machine, with BSGP_LOOPS as the name of its table: everything here has internal linkage,
// and nothing of the standard library is used that could be shared with code for an older machine.
#include "arrays/loops/forms.h"

// clang-format off
#define BSGP_INTEGERS(X) \
  X(BSGP_INT8, int8_t) X(BSGP_INT16, int16_t) X(BSGP_INT32, int32_t) X(BSGP_INT64, int64_t) \
  X(BSGP_UINT8, uint8_t) X(BSGP_UINT16, uint16_t) X(BSGP_UINT32, uint32_t) X(BSGP_UINT64, uint64_t)
// clang-format on
#define BSGP_FLOATS(X) X(BSGP_FLOAT32, float) X(BSGP_FLOAT64, double)
#define BSGP_NUMBERS(X) BSGP_INTEGERS(X) BSGP_FLOATS(X)

namespace bsgp::arrays {
namespace {

using Half = _Float16;

template <class T> constexpr bool is_float = T(0.5) != T(0);
template <class T> constexpr bool is_signed = T(-1) < T(0);

// The unsigned type in which arithmetic of T wraps: at least as wide as unsigned, so that nothing is promoted to int.
template <class T, int kBytes = sizeof(T)> struct Wraps {
  using Type = uint32_t;
};
template <class T> struct Wraps<T, 8> {
  using Type = uint64_t;
};
template <> struct Wraps<float, 4> {
  using Type = float;
};
template <> struct Wraps<double, 8> {
  using Type = double;
};
template <class T> using Wrap = typename Wraps<T>::Type;

// The operations that reductions combine values with.
template <class T> T sumOf(T a, T b) {
  return T(Wrap<T>(a) + Wrap<T>(b));
}
template <class T> T productOf(T a, T b) {
  return T(Wrap<T>(a) * Wrap<T>(b));
}
template <class T> T leastOf(T a, T b) {
  T less = a < b ? a : b; // of two selects the loops are vectorized
  return a != a ? a : less;
}
template <class T> T greatestOf(T a, T b) {
  T greater = a > b ? a : b;
  return a != a ? a : greater;
}
template <class T> T bothOf(T a, T b) {
  return T(a & b);
}
template <class T> T eitherOf(T a, T b) {
  return T(a | b);
}

template <class T> T quotientDown(T a, T b) {
  if constexpr (is_float<T>) {
    if (b == 0)
      return a / b;
    T rest = __builtin_fmod(a, b), whole = (a - rest) / b;
    if (rest != 0 && (b < 0) != (rest < 0))
      whole -= 1;
    if (whole == 0)
      return __builtin_copysign(T(0), a / b);
    T down = __builtin_floor(whole);
    return whole - down > T(0.5) ? down + 1 : down;
  } else if constexpr (is_signed<T>) {
    if (b == 0 || b == -1)
      return b == 0 ? T(0) : T(Wrap<T>(0) - Wrap<T>(a));
    return T(a / b - (a % b != 0 && (a < 0) != (b < 0)));
  } else {
    return b == 0 ? T(0) : T(a / b);
  }
}

template <class T> T restOf(T a, T b) {
  if constexpr (is_float<T>) {
    T rest = __builtin_fmod(a, b);
    if (rest == 0)
      return __builtin_copysign(T(0), b);
    return (b < 0) != (rest < 0) ? rest + b : rest;
  } else if constexpr (is_signed<T>) {
    if (b == 0 || b == -1)
      return 0;
    T rest = T(a % b);
    return rest != 0 && (b < 0) != (rest < 0) ? T(rest + b) : rest;
  } else {
    return b == 0 ? T(0) : T(a % b);
  }
}

template <class T> T integerPower(T base, T exponent) {
  if constexpr (is_signed<T>)
    if (exponent < 0) // 1 / base ** -exponent, towards zero
      return base == 1 ? T(1) : base == T(-1) ? T(exponent % 2 ? -1 : 1) : T(0);
  Wrap<T> result = 1, square = Wrap<T>(base);
  for (; exponent != 0; exponent /= 2, square *= square)
    if (exponent % 2)
      result *= square;
  return T(result);
}

template <class T> T shifted(T a, T by, bool left) {
  constexpr T kBits = T(sizeof(T) * 8);
  bool beyond = by < 0 || by >= kBits;
  if (left)
    return beyond ? T(0) : T(Wrap<T>(a) << by);
  return beyond ? T(a < 0 ? -1 : 0) : T(a >> by);
}

BSGP_UNARY(negative, Wrap<T>(0) - Wrap<T>(a))
BSGP_UNARY(negativeFloat, -a)
BSGP_UNARY(absolute, a < 0 ? T(Wrap<T>(0) - Wrap<T>(a)) : a)
BSGP_UNARY(absoluteFloat, __builtin_fabs(a))
BSGP_UNARY(sign, a > 0 ? T(1) : a < 0 ? T(-1) : a == a ? T(0) : a)
BSGP_UNARY(square, Wrap<T>(a) * Wrap<T>(a))
BSGP_UNARY(reciprocal, T(1) / a)
BSGP_UNARY(same, a)
BSGP_UNARY(roundDown, __builtin_floor(a))
BSGP_UNARY(roundUp, __builtin_ceil(a))
BSGP_UNARY(roundIn, __builtin_trunc(a))
BSGP_UNARY(roundEven, __builtin_rint(a))
BSGP_UNARY(root, __builtin_sqrt(a))
BSGP_UNARY(rootFloat, __builtin_sqrtf(a))
BSGP_UNARY(isNan, a != a)
BSGP_UNARY(isInfinite, __builtin_fabs(a) == T(__builtin_inf()))
BSGP_UNARY(isFinite, __builtin_fabs(a) < T(__builtin_inf()))
BSGP_UNARY(hasSign, __builtin_signbit(a) != 0)
BSGP_UNARY(isNegative, a < 0)
BSGP_UNARY(no, false)
BSGP_UNARY(yes, true)
BSGP_UNARY(logicalNot, !a)
BSGP_UNARY(invert, ~a)

BSGP_BINARY(add, sumOf<T>(a, b))
BSGP_BINARY(subtract, Wrap<T>(a) - Wrap<T>(b))
BSGP_BINARY(multiply, productOf<T>(a, b))
BSGP_BINARY(divide, a / b)
BSGP_BINARY(floorDivide, quotientDown<T>(a, b))
BSGP_BINARY(remainderOf, restOf<T>(a, b))
BSGP_BINARY(minimum, leastOf<T>(a, b))
BSGP_BINARY(maximum, greatestOf<T>(a, b))
BSGP_BINARY(power, integerPower<T>(a, b))
BSGP_BINARY(copySign, __builtin_copysign(a, b))
BSGP_BINARY(equal, a == b)
BSGP_BINARY(notEqual, a != b)
BSGP_BINARY(less, a < b)
BSGP_BINARY(lessEqual, a <= b)
BSGP_BINARY(greater, a > b)
BSGP_BINARY(greaterEqual, a >= b)
BSGP_BINARY(bitAnd, a& b)
BSGP_BINARY(bitOr, a | b)
BSGP_BINARY(bitXor, a ^ b)
BSGP_BINARY(shiftLeft, shifted<T>(a, b, true))
BSGP_BINARY(shiftRight, shifted<T>(a, b, false))

// The elements of `as`'s size, whatever their type.
template <class T> void cond(void* to, const void* pa, const void* pb, const void* pc, int64_t count) {
  const uint8_t* x = static_cast<const uint8_t*>(pa);
  const T *y = static_cast<const T*>(pb), *z = static_cast<const T*>(pc);
  T* r = static_cast<T*>(to);
  for (int64_t i = 0; i < count; ++i)
    r[i] = x[i] ? y[i] : z[i];
}

template <class T> void fma(void* to, const void* pa, const void* pb, const void* pc, int64_t count) {
  const T *x = static_cast<const T*>(pa), *y = static_cast<const T*>(pb), *z = static_cast<const T*>(pc);
  T* r = static_cast<T*>(to);
  for (int64_t i = 0; i < count; ++i)
    r[i] = sizeof(T) == 4 ? T(__builtin_fmaf(x[i], y[i], z[i])) : T(__builtin_fma(x[i], y[i], z[i]));
}

// Floats to integers: the nearest one that there is, NaN: 0.
template <class To, class From> To saturated(From x) {
  constexpr int kBits = sizeof(To) * 8 - is_signed<To>;
  constexpr To kHighest = To(~uint64_t(0) >> (64 - kBits)), kLowest = is_signed<To> ? To(-kHighest - 1) : To(0);
  constexpr From kEnd = From(uint64_t(1) << (kBits - 1)) * 2; // the first that is too large
  return x >= kEnd ? kHighest : x >= From(kLowest) ? To(x) : x < 0 ? kLowest : To(0);
}

template <class To, class From> To converted(From x) {
  if constexpr (is_float<From> && !is_float<To>)
    return saturated<To>(x);
  else
    return To(x);
}

template <class To, class From> void castTo(void* to, const void* from, int64_t count) {
  const From* x = static_cast<const From*>(from);
  To* r = static_cast<To*>(to);
  for (int64_t i = 0; i < count; ++i)
    r[i] = converted<To>(x[i]);
}
// By float: a half and each type that is not wider than 16 bits are exact there. Wider ones go by double, which holds what
// decides the rounding; integers of 64 bits are beyond the range of halves long before they are inexact.
template <class To> void fromHalf(void* to, const void* from, int64_t count) {
  const Half* x = static_cast<const Half*>(from);
  To* r = static_cast<To*>(to);
  for (int64_t i = 0; i < count; ++i)
    r[i] = converted<To>(float(x[i]));
}
template <class From> void toHalf(void* to, const void* from, int64_t count) {
  const From* x = static_cast<const From*>(from);
  Half* r = static_cast<Half*>(to);
  for (int64_t i = 0; i < count; ++i)
    r[i] = sizeof(From) > 2 && !(is_float<From> && sizeof(From) == 4) ? Half(double(x[i])) : Half(float(x[i]));
}
void halfToBool(void* to, const void* from, int64_t count) {
  const uint16_t* x = static_cast<const uint16_t*>(from);
  uint8_t* r = static_cast<uint8_t*>(to);
  for (int64_t i = 0; i < count; ++i)
    r[i] = (x[i] & 0x7fff) != 0;
}

template <class T> void fill(void* to, const void* value, int64_t count) {
  T* r = static_cast<T*>(to);
  const T v = *static_cast<const T*>(value);
  for (int64_t i = 0; i < count; ++i)
    r[i] = v;
}
template <class T> void copy(void* to, const void* from, int64_t stride, int64_t count) {
  T* r = static_cast<T*>(to);
  const char* x = static_cast<const char*>(from);
  if (stride == int64_t(sizeof(T))) {
    __builtin_memcpy(r, x, count * sizeof(T));
    return;
  }
  if (stride == 0 && count > 0) // a column that is broadcast along rows
    return fill<T>(to, from, count);
  if (stride == 2 * int64_t(sizeof(T)) || stride == -int64_t(sizeof(T))) { // known strides become shuffles
    const T* v = reinterpret_cast<const T*>(x);
    if (stride > 0)
      for (int64_t i = 0; i < count; ++i)
        r[i] = v[2 * i];
    else
      for (int64_t i = 0; i < count; ++i)
        r[i] = v[-i];
    return;
  }
  for (int64_t i = 0; i < count; ++i)
    r[i] = *reinterpret_cast<const T*>(x + i * stride);
}
template <class T> void gather(void* to, const void* from, const int64_t* offsets, int64_t count) {
  T* r = static_cast<T*>(to);
  const char* x = static_cast<const char*>(from);
  for (int64_t i = 0; i < count; ++i)
    r[i] = *reinterpret_cast<const T*>(x + offsets[i]);
}

template <class T> void tableOfNumbers(Loops& t, bsgp_dtype type) {
  auto set = [&](bsgp_operation operation, ApplyLoop loop) { t.apply[operation][type] = loop; };
  set(BSGP_OP_SIGN, sign<T>);
  set(BSGP_OP_SQUARE, square<T>);
  set(BSGP_OP_ADD, add<T>);
  set(BSGP_OP_SUBTRACT, subtract<T>);
  set(BSGP_OP_MULTIPLY, multiply<T>);
  set(BSGP_OP_FLOOR_DIVIDE, floorDivide<T>);
  set(BSGP_OP_REMAINDER, remainderOf<T>);
  set(BSGP_OP_MINIMUM, minimum<T>);
  set(BSGP_OP_MAXIMUM, maximum<T>);
  set(BSGP_OP_EQUAL, equal<T, uint8_t>);
  set(BSGP_OP_NOT_EQUAL, notEqual<T, uint8_t>);
  set(BSGP_OP_LESS, less<T, uint8_t>);
  set(BSGP_OP_LESS_EQUAL, lessEqual<T, uint8_t>);
  set(BSGP_OP_GREATER, greater<T, uint8_t>);
  set(BSGP_OP_GREATER_EQUAL, greaterEqual<T, uint8_t>);
  t.fold[BSGP_OP_ADD][type] = foldBlock<T, sumOf<T>>;
  t.fold[BSGP_OP_MULTIPLY][type] = foldBlock<T, productOf<T>>;
  t.fold[BSGP_OP_MINIMUM][type] = foldBlock<T, leastOf<T>>;
  t.fold[BSGP_OP_MAXIMUM][type] = foldBlock<T, greatestOf<T>>;
  t.cast[type][BSGP_BOOL] = toBool<T>;
  t.cast[type][BSGP_FLOAT16] = toHalf<T>;
  t.cast[BSGP_FLOAT16][type] = fromHalf<T>;
  t.cast[BSGP_BOOL][type] = castTo<T, uint8_t>;
#define BSGP_CAST(id, To) t.cast[type][id] = castTo<To, T>;
  BSGP_NUMBERS(BSGP_CAST)
#undef BSGP_CAST
}

template <class T> void tableOfIntegers(Loops& t, bsgp_dtype type) {
  tableOfNumbers<T>(t, type);
  auto set = [&](bsgp_operation operation, ApplyLoop loop) { t.apply[operation][type] = loop; };
  auto setAll = [&](ApplyLoop loop, auto... operations) { (set(operations, loop), ...); };
  set(BSGP_OP_NEGATIVE, negative<T>);
  set(BSGP_OP_ABS, absolute<T>);
  setAll(same<T>, BSGP_OP_FLOOR, BSGP_OP_CEIL, BSGP_OP_TRUNC, BSGP_OP_ROUND);
  set(BSGP_OP_POW, power<T>);
  set(BSGP_OP_ISNAN, no<T, uint8_t>);
  set(BSGP_OP_ISINF, no<T, uint8_t>);
  set(BSGP_OP_ISFINITE, yes<T, uint8_t>);
  set(BSGP_OP_SIGNBIT, isNegative<T, uint8_t>);
  set(BSGP_OP_INVERT, invert<T>);
  set(BSGP_OP_AND, bitAnd<T>);
  set(BSGP_OP_OR, bitOr<T>);
  set(BSGP_OP_XOR, bitXor<T>);
  set(BSGP_OP_SHIFT_LEFT, shiftLeft<T>);
  set(BSGP_OP_SHIFT_RIGHT, shiftRight<T>);
}

template <class T> void tableOfFloats(Loops& t, bsgp_dtype type) {
  tableOfNumbers<T>(t, type);
  auto set = [&](bsgp_operation operation, ApplyLoop loop) { t.apply[operation][type] = loop; };
  set(BSGP_OP_NEGATIVE, negativeFloat<T>);
  set(BSGP_OP_ABS, absoluteFloat<T>);
  set(BSGP_OP_RECIPROCAL, reciprocal<T>);
  set(BSGP_OP_FLOOR, roundDown<T>);
  set(BSGP_OP_CEIL, roundUp<T>);
  set(BSGP_OP_TRUNC, roundIn<T>);
  set(BSGP_OP_ROUND, roundEven<T>);
  set(BSGP_OP_SQRT, sizeof(T) == 4 ? rootFloat<T> : root<T>);
  set(BSGP_OP_DIVIDE, divide<T>);
  set(BSGP_OP_COPYSIGN, copySign<T>);
  set(BSGP_OP_ISNAN, isNan<T, uint8_t>);
  set(BSGP_OP_ISINF, isInfinite<T, uint8_t>);
  set(BSGP_OP_ISFINITE, isFinite<T, uint8_t>);
  set(BSGP_OP_SIGNBIT, hasSign<T, uint8_t>);
  set(BSGP_OP_FMA, fma<T>);
}

// Bools are bytes 0 and 1, whose order is that of false and true.
void tableOfBools(Loops& t) {
  using B = uint8_t;
  auto set = [&](bsgp_operation operation, ApplyLoop loop) { t.apply[operation][BSGP_BOOL] = loop; };
  auto setAll = [&](ApplyLoop loop, auto... operations) { (set(operations, loop), ...); };
  setAll(bitOr<B>, BSGP_OP_ADD, BSGP_OP_OR, BSGP_OP_LOGICAL_OR);
  setAll(bitAnd<B>, BSGP_OP_MULTIPLY, BSGP_OP_AND, BSGP_OP_LOGICAL_AND);
  setAll(bitXor<B>, BSGP_OP_XOR, BSGP_OP_LOGICAL_XOR, BSGP_OP_NOT_EQUAL);
  set(BSGP_OP_EQUAL, equal<B>);
  set(BSGP_OP_LESS, less<B>);
  set(BSGP_OP_LESS_EQUAL, lessEqual<B>);
  set(BSGP_OP_GREATER, greater<B>);
  set(BSGP_OP_GREATER_EQUAL, greaterEqual<B>);
  set(BSGP_OP_MINIMUM, minimum<B>);
  set(BSGP_OP_MAXIMUM, maximum<B>);
  set(BSGP_OP_LOGICAL_NOT, logicalNot<B>);
  set(BSGP_OP_INVERT, logicalNot<B>);
  t.fold[BSGP_OP_LOGICAL_AND][BSGP_BOOL] = foldBlock<B, bothOf<B>>;
  t.fold[BSGP_OP_LOGICAL_OR][BSGP_BOOL] = foldBlock<B, eitherOf<B>>;
  t.fold[BSGP_OP_MINIMUM][BSGP_BOOL] = foldBlock<B, leastOf<B>>;
  t.fold[BSGP_OP_MAXIMUM][BSGP_BOOL] = foldBlock<B, greatestOf<B>>;
  t.cast[BSGP_BOOL][BSGP_BOOL] = castTo<B, B>;
  t.cast[BSGP_BOOL][BSGP_FLOAT16] = toHalf<B>;
  t.cast[BSGP_FLOAT16][BSGP_BOOL] = halfToBool;
  t.cast[BSGP_FLOAT16][BSGP_FLOAT16] = castTo<uint16_t, uint16_t>;
}

// Elements of 16 bytes, whatever their type.
struct Words {
  uint64_t low, high;
};

template <class T> void tableOfSize(Loops& t, int log2) {
  t.copy[log2] = copy<T>;
  t.fill[log2] = fill<T>;
  t.gather[log2] = gather<T>;
}

void chooses(Loops& t) {
  constexpr ApplyLoop kBySize[] = {cond<uint8_t>, cond<uint16_t>, cond<uint32_t>, cond<uint64_t>, cond<Words>};
  constexpr int kLog2[BSGP_DTYPE_COUNT] = {0, 0, 1, 2, 3, 0, 1, 2, 3, 1, 2, 3, 3, 4};
  for (int type = 0; type < BSGP_DTYPE_COUNT; ++type)
    t.apply[BSGP_OP_COND][type] = kBySize[kLog2[type]];
}

} // namespace

void BSGP_LOOPS(Loops& t);
void BSGP_LOOPS(Loops& t) {
#define BSGP_INTEGER(id, T) tableOfIntegers<T>(t, id);
#define BSGP_FLOAT(id, T) tableOfFloats<T>(t, id);
  BSGP_INTEGERS(BSGP_INTEGER)
  BSGP_FLOATS(BSGP_FLOAT)
  tableOfBools(t);
  tableOfSize<uint8_t>(t, 0);
  tableOfSize<uint16_t>(t, 1);
  tableOfSize<uint32_t>(t, 2);
  tableOfSize<uint64_t>(t, 3);
  tableOfSize<Words>(t, 4);
  chooses(t);
}

} // namespace bsgp::arrays
