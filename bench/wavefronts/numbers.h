// What both kinds of C++ share: the works' formulas, of floats or of vectors of floats. Where BSGP fuses a product into
// a sum it says fma; nothing else is fused (-ffp-contract=off), so that the bits are equal.
#pragma once

#include <cmath>
#include <cstdint>

#include "../kernels/vec3.h"
#include "lanes.h"

namespace bench {

// ---- of one number what lanes.h gives of vectors

inline float fma(float a, float b, float c) {
  return __builtin_fmaf(a, b, c);
}
inline float root(float x) {
  return __builtin_sqrtf(x);
}
inline float down(float x) {
  return __builtin_floorf(x);
}
inline float size(float x) {
  return __builtin_fabsf(x);
}
inline float least(float a, float b) {
  return a < b ? a : b;
}
inline float most(float a, float b) {
  return a > b ? a : b;
}
inline float floatOf(uint32_t x) {
  return float(int32_t(x));
}
inline float floatOf(int32_t x) {
  return float(x);
}

// ---- random numbers

template <class Word> Word next(Word s) {
  s ^= s << 13;
  s ^= s >> 17;
  s ^= s << 5;
  return s;
}
template <class Word> Word seedOf(Word rank, uint32_t more) {
  return next(Word((rank * 2654435761u + more) | 1u));
}
template <class Word> auto unit(Word s) {
  return floatOf(Word(s >> 8)) * 0x1p-24f;
}
template <class Word> auto around(Word s) {
  return unit(s) * 2.0f - 1.0f; // exact, fused or not
}

// ---- points

template <class F> F dotOf(const Triple<F>& a, const Triple<F>& b) {
  return fma(a.z, b.z, fma(a.y, b.y, a.x * b.x));
}
template <class F> Triple<F> unitOf(const Triple<F>& a) {
  F scale = 1.0f / root(dotOf(a, a));
  return {a.x * scale, a.y * scale, a.z * scale};
}
template <class F> Triple<F> along(const Triple<F>& from, const Triple<F>& to, F t) {
  return {fma(to.x, t, from.x), fma(to.y, t, from.y), fma(to.z, t, from.z)};
}
template <class F> Triple<F> throughPixel(F x, F y, int w, int h) {
  F one = x * 0.0f + 1.0f;
  return unitOf(Triple<F>{(x - float(w / 2)) / float(h), (float(h / 2) - y) / float(h), one});
}

// ---- the scene of the marches

constexpr float kNear = 0.001f, kFar = 60.0f;
constexpr int kMostSteps = 200, kMostBounces = 64;

template <class F> F inBall(F p) {
  return fma(down(p * 0.25f), F{} - 4.0f, p) - 2.0f;
}
template <class F> F distanceAt(const Triple<F>& p) {
  F x = inBall(p.x), y = inBall(p.y), z = inBall(p.z);
  F ball = root(fma(z, z, fma(x, x, y * y))) - 1.0f;
  F tx = p.x - 0.3f, ty = p.y - 0.7f, tz = p.z - 3.0f;
  F pillar = root(fma(tx, tx, tz * tz)) - 0.4f;
  return least(least(p.y + 1.0f, ball), most(pillar, size(ty) - 1.5f));
}

} // namespace bench
