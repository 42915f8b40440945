// Radix sorting of 32-bit keys, alone (uint32_t) or with a 32-bit value below them (uint64_t). Stable.
//
// One partition by the highest bits, through buffers that gather whole lines for each part and stream them to memory;
// then each part, which fits a core's cache, by LSD passes there, and streamed to its place. So memory is read and
// written twice, whatever the number of digits.
#pragma once

#include <algorithm>
#include <bit>
#include <memory>
#include <utility>
#include <vector>

#include "simd.h"
#include "team.h"

namespace bench::radix {

constexpr unsigned kPartSizeBits = 15; // of the number of elements of a part, where there are not too many parts
constexpr unsigned kMostPartBits = 10, kMostDigitBits = 13;
constexpr size_t kLineBytes = 512;     // of a buffer: longer ones cost fewer mispredicted branches than they cost cache
constexpr size_t kMostLocal = 1 << 17; // elements of a part that is sorted in a member's own memory
constexpr size_t kAlone = 1 << 13;     // elements that one thread sorts faster
constexpr size_t kCached = 8u << 20;   // bytes up to which plain stores beat buffers

inline uint32_t keyOf(uint32_t x) {
  return x;
}
inline uint32_t keyOf(uint64_t x) {
  return uint32_t(x >> 32);
}
inline uint64_t pair(uint32_t key, uint32_t value) {
  return uint64_t(key) << 32 | value;
}

// What one thread writes all the time: on pages of its own.
struct alignas(4096) Member {
  uint32_t position[1 << kMostPartBits], start[1 << kMostPartBits];
  uint32_t counts[4][1 << kMostDigitBits];
  alignas(64) std::byte buffer[kLineBytes << kMostPartBits];
  alignas(64) uint64_t local[kMostLocal];
};

struct Scratch {
  explicit Scratch(unsigned members);
  std::vector<std::unique_ptr<Member, void (*)(void*)>> members;
};

// 16 pairs to where their keys and values go, past the caches.
inline void unpackLine(const uint64_t* from, uint32_t* keys, uint32_t* values) {
  U16 a = load<U16>(from), b = load<U16>(from + 8);
  stream(keys, __builtin_shufflevector(a, b, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31));
  stream(values, __builtin_shufflevector(a, b, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30));
}
inline void unpack(const uint64_t* from, size_t n, uint32_t* keys, uint32_t* values) {
  size_t i = 0;
  for (; i < n && uintptr_t(keys + i) % 64; ++i)
    keys[i] = uint32_t(from[i] >> 32), values[i] = uint32_t(from[i]);
  for (; i + 16 <= n; i += 16)
    unpackLine(from + i, keys + i, values + i);
  for (; i < n; ++i)
    keys[i] = uint32_t(from[i] >> 32), values[i] = uint32_t(from[i]);
}
template <size_t N> void unpack(const uint64_t* from, Count<N>, uint32_t* keys, uint32_t* values) {
#pragma GCC unroll 16
  for (size_t i = 0; i < N; i += 16)
    unpackLine(from + i, keys + i, values + i);
}

// A digit of a key: the highest, which no key exceeds, or one below.
struct HighDigit {
  unsigned shift;
  uint32_t operator()(uint32_t key) const { return key >> shift; }
};
struct Digit {
  unsigned shift;
  uint32_t mask;
  uint32_t operator()(uint32_t key) const { return key >> shift & mask; }
};

// Counts digits in position; four tables, so that equal neighbours do not wait for each other.
template <class Load, class Digit> void countDigits(Load load, Part part, Digit digit, unsigned bits, Member& m) {
  alignas(64) uint32_t tables[4][1 << kMostPartBits];
  for (auto& table : tables)
    std::fill_n(table, 1u << bits, 0);
  size_t i = part.begin;
  for (; i + 4 <= part.end; i += 4)
    for (size_t u = 0; u < 4; ++u)
      ++tables[u][digit(keyOf(load(i + u)))];
  for (; i < part.end; ++i)
    ++tables[0][digit(keyOf(load(i)))];
  for (uint32_t d = 0; d < 1u << bits; ++d)
    m.position[d] = tables[0][d] + tables[1][d] + tables[2][d] + tables[3][d];
}

// Turns counts into places: by digit, then by member. Gives where each part begins, and the end.
inline std::vector<uint32_t> placeDigits(Scratch& scratch, unsigned bits) {
  std::vector<uint32_t> begins;
  uint32_t sum = 0;
  for (uint32_t digit = 0; digit < 1u << bits; ++digit) {
    begins.push_back(sum);
    for (auto& member : scratch.members)
      sum += std::exchange(member->position[digit], sum);
  }
  begins.push_back(sum);
  return begins;
}

// Arguments by value: the stores of the loop could change what references refer to, as far as the compiler knows.
template <class T, class Load, class Digit>
[[gnu::noinline]] void scatter(Load load, Part part, Digit digit, Member& m, T* out) {
  uint32_t* position = m.position;
  const size_t part_end = part.end;
  for (size_t i = part.begin; i < part_end; ++i) {
    T x = load(i);
    out[position[digit(keyOf(x))]++] = x;
  }
}

// emit(at, from, n): n elements to their places from `at` on; n is a Count where it is a whole buffer, at a multiple.
template <class T, class Load, class Digit, class Emit>
[[gnu::noinline]] void scatterBuffered(Load load, Part part, Digit digit, unsigned bits, Member& m, Emit emit) {
  const size_t part_end = part.end;
  constexpr uint32_t kElements = kLineBytes / sizeof(T);
  T* buffer = reinterpret_cast<T*>(m.buffer);
  uint32_t *position = m.position, *start = m.start;
  std::copy_n(position, 1u << bits, start);
  auto flush = [&](uint32_t d, uint32_t end) {
    uint32_t first = std::max((end - 1) / kElements * kElements, start[d]);
    emit(first, buffer + d * kElements + first % kElements, size_t(end - first));
  };
  for (size_t i = part.begin; i < part_end; ++i) {
    T x = load(i);
    uint32_t d = digit(keyOf(x)), at = position[d]++, slot = at % kElements;
    T* line = buffer + d * kElements;
    line[slot] = x;
    if (slot == kElements - 1) [[unlikely]] {
      if (at - slot >= start[d]) [[likely]]
        emit(at - slot, line, Count<kElements>());
      else
        flush(d, at + 1);
    }
  }
  for (uint32_t d = 0; d < 1u << bits; ++d)
    if (position[d] % kElements && position[d] > start[d])
      flush(d, position[d]);
  streamFence();
}

template <class T> void insertionSort(T* x, size_t n) {
  for (size_t i = 1; i < n; ++i) {
    T moved = x[i];
    size_t j = i;
    for (; j > 0 && keyOf(x[j - 1]) > keyOf(moved); --j)
      x[j] = x[j - 1];
    x[j] = moved;
  }
}

template <unsigned Passes, class T> T* sortDigits(T* x, size_t n, unsigned digit_bits, T* other, Member& m) {
  uint32_t mask = (1u << digit_bits) - 1;
  for (unsigned pass = 0; pass < Passes; ++pass)
    std::fill_n(m.counts[pass], mask + 1, 0);
  for (size_t i = 0; i < n; ++i)
    for (unsigned pass = 0; pass < Passes; ++pass)
      ++m.counts[pass][keyOf(x[i]) >> pass * digit_bits & mask];
  for (unsigned pass = 0; pass < Passes; ++pass) {
    uint32_t *counts = m.counts[pass], sum = 0, shift = pass * digit_bits;
    for (uint32_t digit = 0; digit <= mask; ++digit)
      sum += std::exchange(counts[digit], sum);
    for (size_t i = 0; i < n; ++i) {
      T moved = x[i];
      other[counts[keyOf(moved) >> shift & mask]++] = moved;
    }
    std::swap(x, other);
  }
  return x;
}

// By the lowest `bits` bits; the result is in x or in other.
template <class T> T* sortLocal(T* x, size_t n, unsigned bits, T* other, Member& m) {
  if (n <= 32) {
    insertionSort(x, n);
    return x;
  }
  unsigned most = n < 1024 ? 8 : n < 4096 ? 10 : kMostDigitBits, passes = (bits + most - 1) / most;
  switch (passes) {
  case 0:
    return x;
  case 1:
    return sortDigits<1>(x, n, bits, other, m);
  case 2:
    return sortDigits<2>(x, n, (bits + 1) / 2, other, m);
  case 3:
    return sortDigits<3>(x, n, (bits + 2) / 3, other, m);
  default:
    return sortDigits<4>(x, n, 8, other, m);
  }
}

// How all members part [0, n): by the highest digit, and where each part begins.
struct Parts {
  HighDigit digit;
  unsigned bits;
  std::vector<uint32_t> begins;
};

// By the highest digit in use: where the first table tells that keys are small, counts again.
template <class Load> Parts countParts(Team& team, Scratch& scratch, size_t n, const Load& load, unsigned bits) {
  for (unsigned shift = 32 - bits;;) {
    HighDigit digit{shift};
    team.run([&](unsigned i) { countDigits(load, Part(n, i, team.size()), digit, bits, *scratch.members[i]); });
    std::vector<uint32_t> begins = placeDigits(scratch, bits);
    uint32_t highest = uint32_t(std::lower_bound(begins.begin(), begins.end(), uint32_t(n)) - begins.begin()) - 1;
    unsigned unused = bits - unsigned(std::bit_width(highest));
    if (unused == 0 || shift == 0)
      return {digit, bits, std::move(begins)};
    shift -= std::min(unused, shift);
  }
}

// Sorts load(0) .. load(n - 1); emit(at, from, n) takes runs of the result to their places. spare and spare2: room for
// n.
template <class T, class Load, class Emit>
void sort(Team& team, Scratch& scratch, size_t n, const Load& load, T* spare, T* spare2, const Emit& emit) {
  if (n <= kAlone) {
    for (size_t i = 0; i < n; ++i)
      spare[i] = load(i);
    return emit(0, sortLocal(spare, n, 32, spare2, *scratch.members[0]), n);
  }
  unsigned bits = std::clamp(unsigned(std::bit_width(n >> kPartSizeBits)), 1u, kMostPartBits);
  Parts parts = countParts(team, scratch, n, load, bits);
  std::atomic<size_t> next{0};
  team.run([&](unsigned index) {
    Member& m = *scratch.members[index];
    Part mine(n, index, team.size());
    if (n * sizeof(T) <= kCached)
      scatter(load, mine, parts.digit, m, spare);
    else
      scatterBuffered<T>(load, mine, parts.digit, parts.bits, m,
                         [=](size_t at, const T* from, auto count) { streamCopy(spare + at, from, count); });
    team.sync();
    for (size_t i; (i = next.fetch_add(1, std::memory_order_relaxed)) + 1 < parts.begins.size();) {
      size_t begin = parts.begins[i], size = parts.begins[i + 1] - begin;
      T* other = size <= kMostLocal ? reinterpret_cast<T*>(m.local) : spare2 + begin;
      emit(begin, sortLocal(spare + begin, size, parts.digit.shift, other, m), size);
    }
    streamFence();
  });
}

} // namespace bench::radix
