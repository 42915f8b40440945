// Numbers of 16 bits, IEEE binary16, in the form of doubles.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

namespace bsgp {

// The half nearest to `value`, ties to even; infinite from 65520 on.
inline double roundToHalf(double value) {
  constexpr int kDigits = 11, kLastPlace = -24; // of a subnormal, and of all below 2^-13
  constexpr double kLargest = 65504;
  if (!std::isfinite(value))
    return value;
  int exponent = 0;
  std::frexp(value, &exponent);
  int last = std::max(exponent - kDigits, kLastPlace);
  double rounded = std::ldexp(std::nearbyint(std::ldexp(value, -last)), last);
  return std::fabs(rounded) > kLargest ? std::copysign(std::numeric_limits<double>::infinity(), value) : rounded;
}

} // namespace bsgp
