// The forms of loops over elements side by side. Files that include this are compiled once for each machine: everything here has internal
// linkage.
#pragma once

#include "arrays/loops/loops.h"

namespace bsgp::arrays {
namespace {

#define BSGP_UNARY(name, expression)                                                                                   \
  template <class T, class R = T> void name(void* to, const void* pa, const void*, const void*, int64_t count) {       \
    const T* x = static_cast<const T*>(pa);                                                                            \
    R* r = static_cast<R*>(to);                                                                                        \
    for (int64_t i = 0; i < count; ++i) {                                                                              \
      [[maybe_unused]] const T a = x[i];                                                                               \
      r[i] = R(expression);                                                                                            \
    }                                                                                                                  \
  }
#define BSGP_BINARY(name, expression)                                                                                  \
  template <class T, class R = T> void name(void* to, const void* pa, const void* pb, const void*, int64_t count) {    \
    const T *x = static_cast<const T*>(pa), *y = static_cast<const T*>(pb);                                            \
    R* r = static_cast<R*>(to);                                                                                        \
    for (int64_t i = 0; i < count; ++i) {                                                                              \
      const T a = x[i], b = y[i];                                                                                      \
      r[i] = R(expression);                                                                                            \
    }                                                                                                                  \
  }

template <class From> void toBool(void* to, const void* from, int64_t count) {
  const From* x = static_cast<const From*>(from);
  uint8_t* r = static_cast<uint8_t*>(to);
  for (int64_t i = 0; i < count; ++i)
    r[i] = x[i] != From(0);
}

// op(lane, x) for the whole rows of 64, then for those that are left, then the halves: as the reduction of the language does.
template <class T, T (*kOf)(T, T)> void foldBlock(void* to, const void* from, int64_t count) {
  const T* x = static_cast<const T*>(from);
  alignas(64) T lanes[kFoldLanes];
  int64_t filled = count < kFoldLanes ? count : int64_t(kFoldLanes);
  if (count == kFoldBlock) {
    for (int i = 0; i < kFoldLanes; ++i)
      lanes[i] = kOf(kOf(kOf(x[i], x[i + kFoldLanes]), x[i + 2 * kFoldLanes]), x[i + 3 * kFoldLanes]);
  } else {
    for (int64_t i = 0; i < filled; ++i)
      lanes[i] = x[i];
    for (int64_t row = kFoldLanes; row < count; row += kFoldLanes)
      for (int64_t i = 0; i < kFoldLanes && row + i < count; ++i)
        lanes[i] = kOf(lanes[i], x[row + i]);
  }
  // A lane without a value is left out: combining it with the identity would change nothing.
  for (int width = kFoldLanes / 2; width > 0; width /= 2) {
    if (filled >= 2 * width)
      for (int i = 0; i < width; ++i)
        lanes[i] = kOf(lanes[i], lanes[i + width]);
    else
      for (int64_t i = 0; i + width < filled; ++i)
        lanes[i] = kOf(lanes[i], lanes[i + width]);
    filled = filled < width ? filled : width;
  }
  *static_cast<T*>(to) = lanes[0];
}

} // namespace
} // namespace bsgp::arrays
