// Functions of complex numbers: those of the C library, which have the branch cuts and special values of C99, annex G. Those of complex64
// are computed as complex128 and rounded.
#include <cmath>
#include <complex>

#include "arrays/loops/complex.h"
#include "arrays/loops/math.h"

namespace bsgp::arrays {

namespace {

using Wide = std::complex<double>;

bool isFinite(Wide z) {
  return std::isfinite(z.real()) && std::isfinite(z.imag());
}

// By each part: an infinite one makes no NaN of the other.
Wide scaled(Wide z, double by) {
  return {z.real() * by, z.imag() * by};
}

Wide root(Wide z) {
  return std::sqrt(z);
}
Wide exponential(Wide z) {
  return std::exp(z);
}
Wide exponential2(Wide z) {
  return std::exp(scaled(z, M_LN2));
}
// Above 40 the 1 is beyond the last place.
Wide exponentialLess1(Wide z) {
  if (!isFinite(z) || z.real() > 40)
    return std::exp(z) - 1.0;
  double half = std::sin(z.imag() / 2);
  return {std::expm1(z.real()) * std::cos(z.imag()) - 2 * half * half, std::exp(z.real()) * std::sin(z.imag())};
}
Wide logarithm(Wide z) {
  return std::log(z);
}
Wide logarithm2(Wide z) {
  return scaled(std::log(z), M_LOG2E);
}
Wide logarithm10(Wide z) {
  return scaled(std::log(z), M_LOG10E);
}
Wide logarithmOf1Plus(Wide z) {
  double x = z.real(), y = z.imag();
  if (!(std::abs(x) < 0.5 && std::abs(y) < 0.5))
    return std::log(Wide(1 + x, y));
  return {std::log1p(x * (2 + x) + y * y) / 2, std::atan2(y, 1 + x)};
}
Wide sine(Wide z) {
  return std::sin(z);
}
Wide cosine(Wide z) {
  return std::cos(z);
}
Wide tangent(Wide z) {
  return std::tan(z);
}
Wide arcSine(Wide z) {
  return std::asin(z);
}
Wide arcCosine(Wide z) {
  return std::acos(z);
}
Wide arcTangent(Wide z) {
  return std::atan(z);
}
Wide hyperbolicSine(Wide z) {
  return std::sinh(z);
}
Wide hyperbolicCosine(Wide z) {
  return std::cosh(z);
}
Wide hyperbolicTangent(Wide z) {
  return std::tanh(z);
}
Wide areaSine(Wide z) {
  return std::asinh(z);
}
Wide areaCosine(Wide z) {
  return std::acosh(z);
}
Wide areaTangent(Wide z) {
  return std::atanh(z);
}

// Square and multiply.
Complex<double> wholePower(Complex<double> base, int exponent) {
  Complex<double> result(1), square = base;
  for (int rest = std::abs(exponent); rest; rest /= 2) {
    if (rest % 2)
      result = result * square;
    if (rest > 1)
      square = square * square;
  }
  return exponent < 0 ? Complex<double>(1) / result : result;
}

// As in NumPy: a power of 0 is 0, 1 or undefined, and small whole exponents are products.
Wide power(Wide a, Wide b) {
  if (b == 0.0)
    return 1;
  if (a == 0.0)
    return b.real() > 0 ? Wide(0) : Wide(NAN, NAN);
  if (b == 1.0)
    return a;
  if (b.imag() != 0 || !(std::abs(b.real()) < 100) || b.real() != std::trunc(b.real()))
    return std::pow(a, b);
  Complex<double> whole = wholePower({a.real(), a.imag()}, int(b.real()));
  return {whole.re, whole.im};
}

template <class T, Wide (*kOf)(Wide)> void ofOne(void* to, const void* a, const void*, const void*, int64_t count) {
  const auto* x = static_cast<const std::complex<T>*>(a);
  for (int64_t i = 0; i < count; ++i)
    static_cast<std::complex<T>*>(to)[i] = std::complex<T>(kOf(Wide(x[i])));
}
template <class T> void powers(void* to, const void* a, const void* b, const void*, int64_t count) {
  const auto *x = static_cast<const std::complex<T>*>(a), *y = static_cast<const std::complex<T>*>(b);
  for (int64_t i = 0; i < count; ++i)
    static_cast<std::complex<T>*>(to)[i] = std::complex<T>(power(Wide(x[i]), Wide(y[i])));
}

template <Wide (*kOf)(Wide)> void add(Loops& table, bsgp_operation operation) {
  table.apply[operation][BSGP_COMPLEX64] = ofOne<float, kOf>;
  table.apply[operation][BSGP_COMPLEX128] = ofOne<double, kOf>;
}

} // namespace

void addComplexMath(Loops& table) {
  add<root>(table, BSGP_OP_SQRT);
  add<exponential>(table, BSGP_OP_EXP);
  add<exponential2>(table, BSGP_OP_EXP2);
  add<exponentialLess1>(table, BSGP_OP_EXPM1);
  add<logarithm>(table, BSGP_OP_LOG);
  add<logarithm2>(table, BSGP_OP_LOG2);
  add<logarithm10>(table, BSGP_OP_LOG10);
  add<logarithmOf1Plus>(table, BSGP_OP_LOG1P);
  add<sine>(table, BSGP_OP_SIN);
  add<cosine>(table, BSGP_OP_COS);
  add<tangent>(table, BSGP_OP_TAN);
  add<arcSine>(table, BSGP_OP_ASIN);
  add<arcCosine>(table, BSGP_OP_ACOS);
  add<arcTangent>(table, BSGP_OP_ATAN);
  add<hyperbolicSine>(table, BSGP_OP_SINH);
  add<hyperbolicCosine>(table, BSGP_OP_COSH);
  add<hyperbolicTangent>(table, BSGP_OP_TANH);
  add<areaSine>(table, BSGP_OP_ASINH);
  add<areaCosine>(table, BSGP_OP_ACOSH);
  add<areaTangent>(table, BSGP_OP_ATANH);
  table.apply[BSGP_OP_POW][BSGP_COMPLEX64] = powers<float>;
  table.apply[BSGP_OP_POW][BSGP_COMPLEX128] = powers<double>;
}

} // namespace bsgp::arrays
