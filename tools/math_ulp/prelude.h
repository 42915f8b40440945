// What the math library needs of the BSGP compiler, in C++: its types, exact operations and bit casts.
#pragma once
#include <bit>
#include <cstdint>

using uint = uint32_t;
using ulong = uint64_t;

template <class T, class F> T cast_bits(F x) {
  return std::bit_cast<T>(x);
}
// The approximations of a GPU are not measured here: they are the machine's.
constexpr bool target_is_gpu() {
  return false;
}
constexpr bool fast_math() {
  return false;
}
#define BSGP_APPROXIMATE(NAME, ...) float __approximate_##NAME(__VA_ARGS__);
BSGP_APPROXIMATE(exp2, float)
BSGP_APPROXIMATE(log2, float)
BSGP_APPROXIMATE(sin, float)
BSGP_APPROXIMATE(cos, float)
BSGP_APPROXIMATE(sqrt, float)
BSGP_APPROXIMATE(rsqrt, float)
BSGP_APPROXIMATE(tanh, float)
BSGP_APPROXIMATE(pow, float, float)
inline int float_as_int(float x) {
  return cast_bits<int>(x);
}
inline uint float_as_uint(float x) {
  return cast_bits<uint>(x);
}
inline float int_as_float(int x) {
  return cast_bits<float>(x);
}
inline long double_as_long(double x) {
  return cast_bits<long>(x);
}
inline ulong double_as_ulong(double x) {
  return cast_bits<ulong>(x);
}
inline double long_as_double(long x) {
  return cast_bits<double>(x);
}

#define BSGP_BOTH(NAME, BUILTIN)                                                                                       \
  inline float NAME(float x) {                                                                                         \
    return BUILTIN##f(x);                                                                                              \
  }                                                                                                                    \
  inline double NAME(double x) {                                                                                       \
    return BUILTIN(x);                                                                                                 \
  }
BSGP_BOTH(__sqrt, __builtin_sqrt)
BSGP_BOTH(__floor, __builtin_floor)
BSGP_BOTH(__ceil, __builtin_ceil)
BSGP_BOTH(__trunc, __builtin_trunc)
BSGP_BOTH(__roundeven, __builtin_rint) // the same in the default rounding mode
BSGP_BOTH(__fabs, __builtin_fabs)
inline float __copysign(float a, float b) {
  return __builtin_copysignf(a, b);
}
inline double __copysign(double a, double b) {
  return __builtin_copysign(a, b);
}
inline float __fma(float a, float b, float c) {
  return __builtin_fmaf(a, b, c);
}
inline double __fma(double a, double b, double c) {
  return __builtin_fma(a, b, c);
}
inline ulong __mulhi(ulong a, ulong b) {
  return ulong((unsigned __int128)(a)*b >> 64);
}
template <class T> T __popcount(T x) {
  return T(std::popcount(std::make_unsigned_t<T>(x)));
}
template <class T> T __clz(T x) {
  return T(std::countl_zero(std::make_unsigned_t<T>(x)));
}
template <class T> T __ctz(T x) {
  return T(std::countr_zero(std::make_unsigned_t<T>(x)));
}
