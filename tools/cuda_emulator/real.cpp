#include "real.h"

namespace bsgp::emulator {

template <class Format> double widen(uint16_t bits) {
  constexpr int fraction = Format::precision - 1;
  int exponent = (bits & 0x7fff) >> fraction, ones = (1 << (15 - fraction)) - 1;
  int mantissa = bits & ((1 << fraction) - 1);
  double value;
  if (exponent == ones)
    value = mantissa ? std::numeric_limits<double>::quiet_NaN() : std::numeric_limits<double>::infinity();
  else if (exponent == 0)
    value = std::ldexp(mantissa, 1 - Format::largest - fraction);
  else
    value = std::ldexp(mantissa | 1 << fraction, exponent - Format::largest - fraction);
  return bits & 0x8000 ? -value : value;
}

double toIntegral(double a, Round round) {
  switch (round) {
  case Round::nearest:
    return std::nearbyint(a);
  case Round::zero:
    return std::trunc(a);
  case Round::down:
    return std::floor(a);
  case Round::up:
    return std::ceil(a);
  case Round::away:
    return std::round(a);
  }
  return a;
}

template <class Format> uint16_t narrow(double value, Round round) {
  constexpr int fraction = Format::precision - 1;
  constexpr uint16_t infinity = static_cast<uint16_t>(((1 << (15 - fraction)) - 1) << fraction);
  if (value != value)
    return kNan16;
  uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  if (value == 0 || std::isinf(value))
    return sign | (value == 0 ? 0 : infinity);
  int exponent = std::max(std::ilogb(value), 1 - Format::largest);
  double mantissa = std::fabs(toIntegral(std::ldexp(value, fraction - exponent), round)); // in units of the last place
  auto bits = static_cast<uint32_t>(mantissa) + (static_cast<uint32_t>(exponent + Format::largest - 1) << fraction);
  if (bits < infinity)
    return sign | static_cast<uint16_t>(bits);
  bool to_infinity = round == Round::nearest || round == Round::away || (round == Round::up && !sign) ||
                     (round == Round::down && sign);
  return sign | static_cast<uint16_t>(to_infinity ? infinity : infinity - 1);
}

template double widen<Half>(uint16_t);
template double widen<Brain>(uint16_t);
template uint16_t narrow<Half>(double, Round);
template uint16_t narrow<Brain>(double, Round);

double addToOdd(double a, double b) {
  double sum = a + b;
  if (!std::isfinite(sum))
    return sum;
  double big = sum - a, error = (a - (sum - big)) + (b - big);
  auto bits = std::bit_cast<uint64_t>(sum);
  if (error == 0 || bits & 1)
    return sum;
  bool outward = (error > 0) == (sum > 0);
  return std::bit_cast<double>(outward ? bits + 1 : bits - 1);
}

} // namespace bsgp::emulator
