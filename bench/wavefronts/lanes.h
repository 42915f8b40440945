// Vectors by hand: as wide as the machine's registers (AVX-512 or AVX2), with masks of lanes.
#pragma once

#include <bit>
#include <cstdint>
#if defined(__AVX2__) && defined(__FMA__) && defined(__BMI2__)
#define BENCH_LANES 1
#include <immintrin.h>
#endif

namespace bench {

#if defined(BENCH_LANES) && defined(__AVX512F__)

constexpr int kBytes = 64;
using Floats = __m512;
using Mask = __mmask16; // of 16 lanes
using LongMask = __mmask8;

#elif defined(BENCH_LANES)

constexpr int kBytes = 32;
using Floats = __m256;
typedef int32_t Mask __attribute__((vector_size(32))); // -1: the lane is in it
typedef int64_t LongMask __attribute__((vector_size(32)));

#endif

#if defined(BENCH_LANES)

typedef int32_t Ints __attribute__((vector_size(kBytes)));
typedef uint32_t Words __attribute__((vector_size(kBytes)));
typedef int64_t Longs __attribute__((vector_size(kBytes)));
constexpr int kLanes = kBytes / 4, kLongLanes = kBytes / 8;

#if defined(__AVX512F__)

inline Floats fma(Floats a, Floats b, Floats c) {
  return _mm512_fmadd_ps(a, b, c);
}
inline Floats root(Floats x) {
  return _mm512_sqrt_ps(x);
}
inline Floats down(Floats x) {
  return _mm512_roundscale_ps(x, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC);
}
inline Floats size(Floats x) {
  return _mm512_abs_ps(x);
}
inline Floats least(Floats a, Floats b) {
  return _mm512_min_ps(a, b);
}
inline Floats most(Floats a, Floats b) {
  return _mm512_max_ps(a, b);
}
inline Floats floatOf(Words x) { // below 2^31
  return _mm512_cvtepi32_ps(__m512i(x));
}
inline Mask isLess(Floats a, Floats b) {
  return _mm512_cmp_ps_mask(a, b, _CMP_LT_OQ);
}
inline Mask isLess(Ints a, Ints b) {
  return _mm512_cmplt_epi32_mask(__m512i(a), __m512i(b));
}
inline LongMask isOther(Longs a, Longs b) {
  return _mm512_cmpneq_epi64_mask(__m512i(a), __m512i(b));
}
inline LongMask isOdd(Longs a) {
  return _mm512_test_epi64_mask(__m512i(a), _mm512_set1_epi64(1));
}
inline Floats choose(Mask mask, Floats yes, Floats no) {
  return _mm512_mask_blend_ps(mask, no, yes);
}
inline Ints choose(Mask mask, Ints yes, Ints no) {
  return Ints(_mm512_mask_blend_epi32(mask, __m512i(no), __m512i(yes)));
}
inline Words choose(Mask mask, Words yes, Words no) {
  return Words(_mm512_mask_blend_epi32(mask, __m512i(no), __m512i(yes)));
}
inline Longs choose(LongMask mask, Longs yes, Longs no) {
  return Longs(_mm512_mask_blend_epi64(mask, __m512i(no), __m512i(yes)));
}
inline unsigned bitsOf(Mask mask) {
  return mask;
}
inline unsigned bitsOf(LongMask mask) {
  return mask;
}
template <class M> M maskOf(unsigned bits) {
  return M(bits);
}
// One more in the lanes of the mask.
inline Ints counted(Ints k, Mask mask) {
  return Ints(_mm512_mask_add_epi32(__m512i(k), mask, __m512i(k), _mm512_set1_epi32(1)));
}
inline Longs counted(Longs k, LongMask mask) {
  return Longs(_mm512_mask_add_epi64(__m512i(k), mask, __m512i(k), _mm512_set1_epi64(1)));
}
// first, first + 1, ... in the lanes of the mask.
inline Ints ranksFrom(int first, Mask mask) {
  const Ints iota = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
  return Ints(_mm512_maskz_expand_epi32(mask, __m512i(iota + first)));
}
inline Longs ranksFrom(int first, LongMask mask) {
  const Longs iota = {0, 1, 2, 3, 4, 5, 6, 7};
  return Longs(_mm512_maskz_expand_epi64(mask, __m512i(iota + first)));
}

#else

inline Floats fma(Floats a, Floats b, Floats c) {
  return _mm256_fmadd_ps(a, b, c);
}
inline Floats root(Floats x) {
  return _mm256_sqrt_ps(x);
}
inline Floats down(Floats x) {
  return _mm256_floor_ps(x);
}
inline Floats size(Floats x) {
  return _mm256_and_ps(x, _mm256_castsi256_ps(_mm256_set1_epi32(0x7fffffff)));
}
inline Floats least(Floats a, Floats b) {
  return _mm256_min_ps(a, b);
}
inline Floats most(Floats a, Floats b) {
  return _mm256_max_ps(a, b);
}
inline Floats floatOf(Words x) { // below 2^31
  return _mm256_cvtepi32_ps(__m256i(x));
}
inline Mask isLess(Floats a, Floats b) {
  return Mask(_mm256_cmp_ps(a, b, _CMP_LT_OQ));
}
inline Mask isLess(Ints a, Ints b) {
  return a < b;
}
inline LongMask isOther(Longs a, Longs b) {
  return a != b;
}
inline LongMask isOdd(Longs a) {
  return -(a & 1);
}
inline Floats choose(Mask mask, Floats yes, Floats no) {
  return _mm256_blendv_ps(no, yes, Floats(mask));
}
inline Ints choose(Mask mask, Ints yes, Ints no) {
  return Ints(_mm256_blendv_epi8(__m256i(no), __m256i(yes), __m256i(mask)));
}
inline Words choose(Mask mask, Words yes, Words no) {
  return Words(_mm256_blendv_epi8(__m256i(no), __m256i(yes), __m256i(mask)));
}
inline Longs choose(LongMask mask, Longs yes, Longs no) {
  return Longs(_mm256_blendv_epi8(__m256i(no), __m256i(yes), __m256i(mask)));
}
inline unsigned bitsOf(Mask mask) {
  return unsigned(_mm256_movemask_ps(Floats(mask)));
}
inline unsigned bitsOf(LongMask mask) {
  return unsigned(_mm256_movemask_pd(__m256d(mask)));
}
template <class M> M maskOf(unsigned bits) {
  constexpr int kLong = sizeof(M{}[0]) == 8;
  M place = {};
  for (int i = 0; i < kLanes >> kLong; ++i)
    place[i] = 1 << i;
  return (place & int(bits)) != 0;
}
inline Ints counted(Ints k, Mask mask) {
  return k - mask;
}
inline Longs counted(Longs k, LongMask mask) {
  return k - mask;
}
// 0, 1, ... in the bytes whose bit is set, as a number.
inline long long ordered(unsigned bits) {
  return (long long)_pdep_u64(0x0706050403020100, _pdep_u64(bits, 0x0101010101010101) * 0xff);
}
inline Ints ranksFrom(int first, Mask mask) {
  return Ints(_mm256_cvtepu8_epi32(_mm_cvtsi64_si128(ordered(bitsOf(mask))))) + first;
}
inline Longs ranksFrom(int first, LongMask mask) {
  return Longs(_mm256_cvtepu8_epi64(_mm_cvtsi64_si128(ordered(bitsOf(mask))))) + first;
}

#endif

template <class M> M without(M a, M b) {
  return M(a & ~b);
}
template <class M> M both(M a, M b) {
  return M(a & b);
}
template <class M> M either(M a, M b) {
  return M(a | b);
}

inline Floats floatOf(Ints x) {
  return floatOf(Words(x));
}
inline Floats all(float x) {
  return Floats{} + x;
}

#endif

} // namespace bench
