// Lanes of a vector side by side: as many at once as the machine can pack, or one.
#pragma once

#include <array>

#include "simd.h"

namespace bench {

// A mask has a bit for each lane; `pack` stores the lanes whose bit is set, and may store a whole vector.
inline unsigned oddLanes(uint32_t v) {
  return v & 1;
}
inline unsigned differentLanes(uint32_t a, uint32_t b) {
  return a != b;
}
inline void countFrom(uint32_t first, uint32_t& lanes) {
  lanes = first;
}
inline void pack(uint32_t* to, uint32_t v, unsigned) {
  *to = v;
}

#if defined(__AVX512F__)
using Lanes = __m512i;
inline unsigned oddLanes(Lanes v) {
  return _mm512_test_epi32_mask(v, _mm512_set1_epi32(1));
}
inline unsigned differentLanes(Lanes a, Lanes b) {
  return _mm512_cmpneq_epi32_mask(a, b);
}
inline void countFrom(uint32_t first, Lanes& lanes) {
  lanes = _mm512_add_epi32(_mm512_set1_epi32(int(first)),
                           _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15));
}
inline void pack(uint32_t* to, Lanes v, unsigned mask) {
  _mm512_storeu_si512(to, _mm512_maskz_compress_epi32(__mmask16(mask), v)); // compressing into memory is slow on Zen
}
#elif defined(__AVX2__)
using Lanes = __m256i;
// For each mask of eight lanes the lanes that are set, one in each byte.
struct Packing {
  uint64_t lanes[256];
  constexpr Packing() : lanes() {
    for (unsigned mask = 0; mask < 256; ++mask)
      for (unsigned bit = 0, at = 0; bit < 8; ++bit)
        if (mask >> bit & 1)
          lanes[mask] |= uint64_t(bit) << 8 * at++;
  }
};
alignas(64) constexpr Packing kPacking;
inline unsigned oddLanes(Lanes v) {
  return unsigned(_mm256_movemask_ps(_mm256_castsi256_ps(_mm256_slli_epi32(v, 31))));
}
inline unsigned differentLanes(Lanes a, Lanes b) {
  return 255 ^ unsigned(_mm256_movemask_ps(_mm256_castsi256_ps(_mm256_cmpeq_epi32(a, b))));
}
inline void countFrom(uint32_t first, Lanes& lanes) {
  lanes = _mm256_add_epi32(_mm256_set1_epi32(int(first)), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
}
inline void pack(uint32_t* to, Lanes v, unsigned mask) {
  __m256i order = _mm256_cvtepu8_epi32(_mm_cvtsi64_si128(int64_t(kPacking.lanes[mask])));
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), _mm256_permutevar8x32_epi32(v, order));
}
#else
using Lanes = uint32_t;
#endif
constexpr size_t kLanes = sizeof(Lanes) / 4;

template <class Vector> constexpr unsigned kAllLanes = (1u << sizeof(Vector) / 4) - 1;

// Stores the values of [begin, end) whose bit is set, each to the front of its side, which has room for a vector more.
// Gives how many went to each.
//   sides(i, vector)   sets the vector to the values from i on; gives a mask for each side
template <size_t Sides, class Function>
std::array<size_t, Sides> packPiece(std::array<uint32_t*, Sides> to, size_t begin, size_t end, const Function& sides) {
  std::array<size_t, Sides> kept{};
  size_t i = begin;
  auto some = [&](auto vector) {
    std::array<unsigned, Sides> masks = sides(i, vector);
    for (size_t side = 0; side < Sides; ++side) {
      pack(to[side] + kept[side], vector, masks[side]);
      kept[side] += size_t(__builtin_popcount(masks[side]));
    }
  };
  for (; i + kLanes <= end; i += kLanes)
    some(Lanes{});
  for (; i < end; ++i)
    some(uint32_t{});
  return kept;
}

} // namespace bench
