// What the hand-written SIMD forms share: vectors as wide as the machine's registers, by the C++ library's simd types.
#pragma once

#include <bit>
#include <experimental/simd>
#if defined(__AVX2__)
#include <immintrin.h>
#endif

#include "vec3.h"

namespace bench {

namespace stdx = std::experimental;
using Floats = stdx::native_simd<float>;
using Mask = Floats::mask_type;
using Ints = stdx::rebind_simd_t<int, Floats>;
using Words = stdx::rebind_simd_t<uint32_t, Floats>;
using Vecs = Triple<Floats>;
constexpr int kLanes = int(Floats::size());

// first, first + 1, ...
inline Floats lanesFrom(float first) {
  return Floats([=](auto i) { return first + float(int(i)); });
}

inline Vecs all(const Vec3& v) {
  return {v.x, v.y, v.z};
}

// v where the mask holds, else w.
inline Floats choose(const Mask& mask, Floats v, Floats w) {
  where(mask, w) = v;
  return w;
}

// e^x to a few last bits, for x from -87 to 88: the library's takes one lane at a time.
inline Floats quickExp(Floats x) {
  x = max(x, Floats(-87.0f));
  Floats shifted = x * 1.44269504f + 0x1.8p23f, whole = shifted - 0x1.8p23f;
  Floats y = (x - whole * 0.693359375f) + whole * 2.12194440e-4f;
  Floats p =
      1 + y * (1 + y * (0.5f + y * (0.16666667f + y * (0.041666667f + y * (0.0083333333f + y * 0.0013888889f)))));
  return p * std::bit_cast<Floats>((std::bit_cast<Ints>(shifted) + 127) << 23);
}

// Elements of an array.
inline Floats gather(const float* from, const Ints& at) {
#if defined(__AVX512F__)
  return Floats(_mm512_i32gather_ps(static_cast<__m512i>(at), from, 4));
#elif defined(__AVX2__)
  return Floats(_mm256_i32gather_ps(from, static_cast<__m256i>(at), 4));
#else
  return Floats([&](auto i) { return from[at[i]]; });
#endif
}

} // namespace bench
