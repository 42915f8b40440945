// Complex numbers as NumPy computes them: infinities and NaNs are not repaired as in C, and each operation rounds by itself. Files that
// include this are compiled for several machines, or without contraction: everything here has internal linkage.
#pragma once

#include <cstdint>

namespace bsgp::arrays {
namespace {

template <class T> struct Complex {
  T re, im;
  constexpr Complex() = default;
  constexpr Complex(T re, T im = 0) : re(re), im(im) {}
  template <class U> constexpr explicit Complex(Complex<U> other) : re(T(other.re)), im(T(other.im)) {}
};

// a - b is a + opposite(b). As an operation on bits, it keeps compilers from making fma of sums beside differences, which GCC 12 does even
// where contraction is off.
inline float opposite(float a) {
  return __builtin_bit_cast(float, __builtin_bit_cast(uint32_t, a) ^ uint32_t(1) << 31);
}
inline double opposite(double a) {
  return __builtin_bit_cast(double, __builtin_bit_cast(uint64_t, a) ^ uint64_t(1) << 63);
}

template <class T> constexpr Complex<T> operator+(Complex<T> a, Complex<T> b) {
  return {a.re + b.re, a.im + b.im};
}
template <class T> Complex<T> operator*(Complex<T> a, Complex<T> b) {
  return {a.re * b.re + opposite(a.im * b.im), a.re * b.im + a.im * b.re};
}
template <class T> constexpr bool operator==(Complex<T> a, Complex<T> b) {
  return (a.re == b.re) & (a.im == b.im);
}
template <class T> constexpr bool operator!=(Complex<T> a, Complex<T> b) {
  return (a.re != b.re) | (a.im != b.im);
}

// Smith 1962.
template <class T> Complex<T> operator/(Complex<T> a, Complex<T> b) {
  bool by_real = __builtin_fabs(b.re) >= __builtin_fabs(b.im);
  T large = by_real ? b.re : b.im, small = by_real ? b.im : b.re;
  T ratio = small / large, scale = T(1) / (large + small * ratio);
  T re = by_real ? a.re + a.im * ratio : a.re * ratio + a.im;
  T im = by_real ? a.im + opposite(a.re * ratio) : a.im * ratio + opposite(a.re);
  bool is_zero = by_real & (large == 0);
  return {is_zero ? a.re / T(0) : re * scale, is_zero ? a.im / T(0) : im * scale};
}

} // namespace
} // namespace bsgp::arrays
