// The loops of complex numbers. Compiled as loops.cpp, with BSGP_COMPLEX_LOOPS as the name of its table.
#include "arrays/loops/complex.h"

#include "arrays/loops/forms.h"

namespace bsgp::arrays {
namespace {

using Half = _Float16;

// Squares of the parts of `re` and `im` neither overflow nor vanish beside each other; times `back` they are the number.
struct Scaled {
  double re, im, back;
  double magnitude() const { return __builtin_sqrt(re * re + im * im); }
};

Scaled scaled(Complex<float> a) {
  return {a.re, a.im, 1};
}
Scaled scaled(Complex<double> a) {
  double re = __builtin_fabs(a.re), im = __builtin_fabs(a.im), most = re > im ? re : im;
  bool is_large = most > 0x1p500, is_small = most < 0x1p-500;
  double by = is_large ? 0x1p-600 : is_small ? 0x1p600 : 1.0;
  return {a.re * by, a.im * by, is_large ? 0x1p600 : is_small ? 0x1p-600 : 1.0};
}

template <class T> bool isInfinite(T a) {
  return __builtin_fabs(a) == T(__builtin_inf());
}

template <class T> T magnitudeOf(Complex<T> a) {
  Scaled parts = scaled(a);
  T magnitude = T(parts.magnitude() * parts.back);
  return isInfinite(a.re) | isInfinite(a.im) ? T(__builtin_inf()) : magnitude;
}

// x / |x|; of an infinite part alone its sign.
template <class T> Complex<T> signOf(Complex<T> a) {
  bool re = isInfinite(a.re), im = isInfinite(a.im);
  if (re && im)
    return {T(__builtin_nan("")), T(__builtin_nan(""))};
  if (re || im)
    return {re ? T(__builtin_copysign(T(1), a.re)) : T(0), im ? T(__builtin_copysign(T(1), a.im)) : T(0)};
  Scaled parts = scaled(a);
  double magnitude = parts.magnitude();
  return magnitude == 0 ? Complex<T>() : Complex<T>(T(parts.re / magnitude), T(parts.im / magnitude));
}

// 1 / a by Smith's algorithm, which needs fewer operations than a division.
template <class T> Complex<T> inverseOf(Complex<T> a) {
  bool by_real = __builtin_fabs(a.im) <= __builtin_fabs(a.re);
  T large = by_real ? a.re : a.im, ratio = (by_real ? a.im : a.re) / large;
  T divisor = large + (by_real ? a.im : a.re) * ratio;
  return {(by_real ? T(1) : ratio) / divisor, (by_real ? -ratio : T(-1)) / divisor};
}

template <class T> Complex<T> sumOf(Complex<T> a, Complex<T> b) {
  return a + b;
}
template <class T> Complex<T> productOf(Complex<T> a, Complex<T> b) {
  return a * b;
}

// Operations on each part by itself, of twice as many numbers.
BSGP_UNARY(negativeParts, -a)
BSGP_UNARY(roundParts, __builtin_rint(a))
BSGP_BINARY(addParts, a + b)
BSGP_BINARY(subtractParts, a - b)
template <ApplyLoop kLoop> void ofParts(void* to, const void* a, const void* b, const void* c, int64_t count) {
  kLoop(to, a, b, c, 2 * count);
}

BSGP_UNARY(conjugate, (T{a.re, -a.im}))
BSGP_UNARY(realPart, a.re)
BSGP_UNARY(imagPart, a.im)
BSGP_UNARY(magnitude, magnitudeOf(a))
BSGP_UNARY(sign, signOf(a))
BSGP_UNARY(square, a* a)
BSGP_UNARY(reciprocal, inverseOf(a))
BSGP_UNARY(isNan, (a.re != a.re) | (a.im != a.im))
BSGP_UNARY(hasInfinity, isInfinite(a.re) | isInfinite(a.im))
BSGP_UNARY(isFinite, (__builtin_fabs(a.re) < __builtin_inf()) & (__builtin_fabs(a.im) < __builtin_inf()))
BSGP_BINARY(multiply, a* b)
BSGP_BINARY(divide, a / b)
BSGP_BINARY(equal, a == b)
BSGP_BINARY(notEqual, a != b)

template <class To, class From> void castTo(void* to, const void* from, int64_t count) {
  const From* x = static_cast<const From*>(from);
  To* r = static_cast<To*>(to);
  for (int64_t i = 0; i < count; ++i)
    r[i] = To(x[i]);
}
template <class T> void fromReal(Loops& t, bsgp_dtype type) {
  t.cast[BSGP_BOOL][type] = castTo<Complex<T>, uint8_t>;
  t.cast[BSGP_INT8][type] = castTo<Complex<T>, int8_t>;
  t.cast[BSGP_INT16][type] = castTo<Complex<T>, int16_t>;
  t.cast[BSGP_INT32][type] = castTo<Complex<T>, int32_t>;
  t.cast[BSGP_INT64][type] = castTo<Complex<T>, int64_t>;
  t.cast[BSGP_UINT8][type] = castTo<Complex<T>, uint8_t>;
  t.cast[BSGP_UINT16][type] = castTo<Complex<T>, uint16_t>;
  t.cast[BSGP_UINT32][type] = castTo<Complex<T>, uint32_t>;
  t.cast[BSGP_UINT64][type] = castTo<Complex<T>, uint64_t>;
  t.cast[BSGP_FLOAT16][type] = castTo<Complex<T>, Half>;
  t.cast[BSGP_FLOAT32][type] = castTo<Complex<T>, float>;
  t.cast[BSGP_FLOAT64][type] = castTo<Complex<T>, double>;
}

template <class T, T (*kOf)(T, T)> void scan(void* to, const void* from, int64_t count) {
  const T* x = static_cast<const T*>(from);
  T* r = static_cast<T*>(to);
  for (int64_t i = 0; i < count; ++i)
    r[i] = i ? kOf(r[i - 1], x[i]) : x[i];
}

template <class T> void tableOf(Loops& t, bsgp_dtype type) {
  using C = Complex<T>;
  auto set = [&](bsgp_operation operation, ApplyLoop loop) { t.apply[operation][type] = loop; };
  set(BSGP_OP_NEGATIVE, ofParts<negativeParts<T>>);
  set(BSGP_OP_ROUND, ofParts<roundParts<T>>);
  set(BSGP_OP_ADD, ofParts<addParts<T>>);
  set(BSGP_OP_SUBTRACT, ofParts<subtractParts<T>>);
  set(BSGP_OP_MULTIPLY, multiply<C>);
  set(BSGP_OP_DIVIDE, divide<C>);
  set(BSGP_OP_ABS, magnitude<C, T>);
  set(BSGP_OP_SIGN, sign<C>);
  set(BSGP_OP_SQUARE, square<C>);
  set(BSGP_OP_RECIPROCAL, reciprocal<C>);
  set(BSGP_OP_REAL, realPart<C, T>);
  set(BSGP_OP_IMAG, imagPart<C, T>);
  set(BSGP_OP_CONJ, conjugate<C>);
  set(BSGP_OP_ISNAN, isNan<C, uint8_t>);
  set(BSGP_OP_ISINF, hasInfinity<C, uint8_t>);
  set(BSGP_OP_ISFINITE, isFinite<C, uint8_t>);
  set(BSGP_OP_EQUAL, equal<C, uint8_t>);
  set(BSGP_OP_NOT_EQUAL, notEqual<C, uint8_t>);
  t.fold[BSGP_OP_ADD][type] = foldBlock<C, sumOf<T>>;
  t.fold[BSGP_OP_MULTIPLY][type] = foldBlock<C, productOf<T>>;
  t.scan[BSGP_OP_ADD][type] = scan<C, sumOf<T>>;
  t.scan[BSGP_OP_MULTIPLY][type] = scan<C, productOf<T>>;
  t.cast[type][BSGP_BOOL] = toBool<C>;
  t.cast[type][BSGP_COMPLEX64] = castTo<Complex<float>, C>;
  t.cast[type][BSGP_COMPLEX128] = castTo<Complex<double>, C>;
  fromReal<T>(t, type);
}

} // namespace

void BSGP_COMPLEX_LOOPS(Loops& t);
void BSGP_COMPLEX_LOOPS(Loops& t) {
  tableOf<float>(t, BSGP_COMPLEX64);
  tableOf<double>(t, BSGP_COMPLEX128);
}

} // namespace bsgp::arrays
