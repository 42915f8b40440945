// What the hand-written SIMD forms share: vectors as wide as the machine's registers, by the C++ library's simd types.
#pragma once

#include <experimental/simd>

namespace bench {

namespace stdx = std::experimental;
using Floats = stdx::native_simd<float>;
using Ints = stdx::rebind_simd_t<int, Floats>;
constexpr int kLanes = int(Floats::size());

inline Floats lanesFrom(float first) {
  return Floats([=](auto i) { return first + float(int(i)); });
}

} // namespace bench
