// How handlers go over lanes: all of them in a loop that the compiler makes vector code of, or those of a mask.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>

#include "op.h"
#include "warp.h"

namespace bsgp::emulator {

alignas(64) inline constexpr uint32_t kLaneBit[32] = {
    1u << 0,  1u << 1,  1u << 2,  1u << 3,  1u << 4,  1u << 5,  1u << 6,  1u << 7,  1u << 8,  1u << 9,  1u << 10,
    1u << 11, 1u << 12, 1u << 13, 1u << 14, 1u << 15, 1u << 16, 1u << 17, 1u << 18, 1u << 19, 1u << 20, 1u << 21,
    1u << 22, 1u << 23, 1u << 24, 1u << 25, 1u << 26, 1u << 27, 1u << 28, 1u << 29, 1u << 30, 1u << 31};

template <class F> inline __attribute__((always_inline)) void forLanes(uint32_t mask, F each) {
  if (mask == kAllLanes) {
#pragma GCC ivdep
    for (unsigned lane = 0; lane < 32; ++lane)
      each(lane);
  } else {
    for (; mask; mask &= mask - 1)
      each(static_cast<unsigned>(std::countr_zero(mask)));
  }
}

// For results that may be computed for lanes that do not run: the mask of lanes where `test` holds.
template <class F> inline __attribute__((always_inline)) uint32_t lanesWhere(F test) {
  uint32_t mask = 0;
#pragma GCC ivdep
  for (unsigned lane = 0; lane < 32; ++lane)
    mask |= test(lane) ? kLaneBit[lane] : 0;
  return mask;
}

// An operation F on the values of one lane has a static function `of`.
template <class D, class A, class F> void unary(Warp& w, const Op& op) {
  D* d = w.at<D>(op.o[0]);
  const A* a = w.at<A>(op.o[1]);
  forLanes(w.exec, [=](unsigned i) { d[i] = static_cast<D>(F::of(a[i])); });
}

template <class D, class A, class B, class F> void binary(Warp& w, const Op& op) {
  D* d = w.at<D>(op.o[0]);
  const A* a = w.at<A>(op.o[1]);
  const B* b = w.at<B>(op.o[2]);
  forLanes(w.exec, [=](unsigned i) { d[i] = static_cast<D>(F::of(a[i], b[i])); });
}

template <class D, class A, class B, class C, class F> void ternary(Warp& w, const Op& op) {
  D* d = w.at<D>(op.o[0]);
  const A* a = w.at<A>(op.o[1]);
  const B* b = w.at<B>(op.o[2]);
  const C* c = w.at<C>(op.o[3]);
  forLanes(w.exec, [=](unsigned i) { d[i] = static_cast<D>(F::of(a[i], b[i], c[i])); });
}

// The handler of F for n operands of type T.
template <int n, class T, class F> constexpr Handler handlerOf() {
  if constexpr (n == 1)
    return unary<T, T, F>;
  else if constexpr (n == 2)
    return binary<T, T, T, F>;
  else
    return ternary<T, T, T, T, F>;
}

} // namespace bsgp::emulator
