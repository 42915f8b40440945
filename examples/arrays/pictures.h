// Data for the programs of this folder, the same on every machine: made of integers, by the arrays' own operations.
#pragma once

#include <bsgp/arrays.hpp>

namespace pictures {

using namespace bsgp::arrays;

// Numbers of 32 bits, without a pattern, for rows y and columns x of uint32.
inline Array hash(const Array& y, const Array& x, int64_t seed) {
  Array h = y * 73856093 ^ x * 19349663 ^ Array(seed * 83492791 % (int64_t(1) << 32));
  h = (h ^ (h >> 13)) * 1540483477;
  return h ^ (h >> 15);
}

// Elements in -0.5..0.5.
inline Array matrix(int64_t rows, int64_t columns, int64_t seed) {
  Array y = astype(index({rows, 1}, 0), uint32), x = astype(index({1, columns}, 1), uint32);
  Array made = astype(hash(y, x, seed) >> 16, float32) / 65536 - 0.5f;
  eval({made});
  return made;
}

// 0..255, smooth over cells of 2^log2 pixels.
inline Array noise(const Array& y, const Array& x, int log2, int64_t seed) {
  int64_t cell = int64_t(1) << log2;
  Array row = y >> log2, column = x >> log2, dy = y & (cell - 1), dx = x & (cell - 1);
  auto corner = [&](int64_t i, int64_t j) { return hash(row + i, column + j, seed) & 255; };
  Array above = corner(0, 0) * (cell - dx) + corner(0, 1) * dx, below = corner(1, 0) * (cell - dx) + corner(1, 1) * dx;
  return (above * (cell - dy) + below * dy) >> (2 * log2);
}

// Hills of several sizes and bright squares, 0..255, as int32. y, x: uint32; they are where the picture is looked at.
inline Array scene(const Array& y, const Array& x, int64_t seed = 1) {
  Array hills = (noise(y, x, 6, seed) * 8 + noise(y, x, 4, seed + 10) * 5 + noise(y, x, 2, seed + 20) * 3) >> 4;
  Array inside =
      ((y & 63) >= 16) && ((y & 63) < 48) && ((x & 63) >= 16) && ((x & 63) < 48) && (hash(y >> 6, x >> 6, 99) & 3) == 0;
  return astype(minimum(hills + cond(inside, 70, 0), 255), int32);
}

inline Array rows(int64_t size) {
  return astype(index({size, 1}, 0), uint32);
}
inline Array columns(int64_t size) {
  return astype(index({1, size}, 1), uint32);
}

// 0..1, of size x size pixels.
inline Array gray(int64_t size) {
  Array made = astype(scene(rows(size), columns(size)), float32) / 255;
  eval({made});
  return made;
}

// 0..1, red, green and blue in front of each other.
inline Array colour(int64_t size) {
  Array channel = index({3, 1, 1}, 0), y = rows(size), x = columns(size);
  Array all = cond(channel == 0, scene(y, x, 1), cond(channel == 1, scene(y, x, 2), scene(y, x, 3)));
  Array made = astype(all, float32) / 255;
  eval({made});
  return made;
}

} // namespace pictures
