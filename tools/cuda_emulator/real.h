// Floating point as PTX defines it: formats, rounding, what becomes of NaN, of zeros and of subnormal numbers.
#pragma once

#include <bit>
#include <cfenv>
#include <cmath>
#include <cstdint>
#include <limits>

namespace bsgp::emulator {

enum class Round : uint8_t { nearest, zero, down, up, away }; // rn rz rm rp rna

constexpr uint32_t kNan = 0x7fffffff; // of all results of 32 bits
constexpr uint16_t kNan16 = 0x7fff;   // of all results of 16 bits

// Calls `f` with the host's rounding set. What `f` computes must not be known to the compiler.
template <class F> __attribute__((noinline)) auto rounded(Round round, F f) {
  static constexpr int kModes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD, FE_TONEAREST};
  int before = std::fegetround();
  std::fesetround(kModes[static_cast<int>(round)]);
  auto result = f();
  std::fesetround(before);
  return result;
}

double toIntegral(double a, Round round);

inline float flush(float a) {
  auto bits = std::bit_cast<uint32_t>(a);
  return (bits & 0x7f800000) ? a : std::bit_cast<float>(bits & 0x80000000);
}
inline float canonical(float a) {
  return a != a ? std::bit_cast<float>(kNan) : a;
}
inline double canonical(double a) {
  return a;
}
template <class T> T clampToUnit(T a) {
  return a > T(0) ? (a < T(1) ? a : T(1)) : T(0);
} // NaN becomes 0

// 16-bit formats: `precision` bits with the leading one, the largest exponent.
struct Half {
  static constexpr int precision = 11, largest = 15;
};
struct Brain {
  static constexpr int precision = 8, largest = 127;
};

template <class Format> double widen(uint16_t bits);
template <class Format> uint16_t narrow(double value, Round = Round::nearest);

// The sum, as if it had two more bits than a double: exact enough to be rounded once more to 16 or 32 bits.
double addToOdd(double a, double b);

} // namespace bsgp::emulator
