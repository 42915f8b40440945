// Vectors of 64 bytes, as GCC and Clang write them for any machine, and stores past the caches.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace bench {

typedef uint32_t U16 __attribute__((vector_size(64)));
typedef float F16 __attribute__((vector_size(64)));

template <class Vector> inline Vector load(const void* at) {
  Vector v;
  std::memcpy(&v, at, sizeof v);
  return v;
}
inline void store(void* at, U16 v) {
  std::memcpy(at, &v, sizeof v);
}

// `at` is aligned to 64 bytes.
inline void stream(void* at, U16 v) {
#if defined(__AVX512F__)
  _mm512_stream_si512(static_cast<__m512i*>(at), __m512i(v));
#elif defined(__x86_64__)
  __m128i part[4];
  std::memcpy(part, &v, sizeof v);
  for (int i = 0; i < 4; ++i)
    _mm_stream_si128(static_cast<__m128i*>(at) + i, part[i]);
#else
  std::memcpy(at, &v, sizeof v);
#endif
}

// Streamed stores are seen by other threads after this.
inline void streamFence() {
#if defined(__x86_64__)
  _mm_sfence();
#endif
}

inline void pause() {
#if defined(__x86_64__)
  _mm_pause();
#endif
}

// Enough accumulators to hide the latency of an addition.
template <class Vector, class T> T sumOf(const T* x, size_t n) {
  Vector sums[8] = {};
  size_t i = 0;
  for (; i + 128 <= n; i += 128)
    for (size_t u = 0; u < 8; ++u)
      sums[u] += load<Vector>(x + i + 16 * u);
  for (int width = 4; width; width /= 2)
    for (int u = 0; u < width; ++u)
      sums[u] += sums[u + width];
  T sum = 0;
  for (int lane = 0; lane < 16; ++lane)
    sum += sums[0][lane];
  for (; i < n; ++i)
    sum += x[i];
  return sum;
}

// Copies `n` elements past the caches.
template <class T> void streamCopy(T* to, const T* from, size_t n) {
  size_t i = 0;
  for (; i < n && uintptr_t(to + i) % 64; ++i)
    to[i] = from[i];
  for (; i + 64 / sizeof(T) <= n; i += 64 / sizeof(T))
    stream(to + i, load<U16>(from + i));
  for (; i < n; ++i)
    to[i] = from[i];
}

// The same for whole lines, their number known.
template <size_t N> using Count = std::integral_constant<size_t, N>;
template <class T, size_t N> void streamCopy(T* to, const T* from, Count<N>) {
  static_assert(N * sizeof(T) % 64 == 0);
#pragma GCC unroll 16
  for (size_t i = 0; i < N; i += 64 / sizeof(T))
    stream(to + i, load<U16>(from + i));
}

} // namespace bench
