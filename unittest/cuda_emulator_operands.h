// Operands at the edges of their types, for the tests of the emulated instructions.
#pragma once

#include <cmath>

#include "cuda_emulator.h"

namespace emulated {

using Inputs = Samples::Inputs;

// All pairs of some values.
inline Inputs pairs(const std::vector<uint64_t>& values) {
  Inputs inputs;
  for (uint64_t a : values)
    for (uint64_t b : values)
      inputs.push_back({a, b, a ^ b});
  return inputs;
}
inline Inputs singles(const std::vector<uint64_t>& values) {
  Inputs inputs;
  for (uint64_t a : values)
    inputs.push_back({a, 0, 0});
  return inputs;
}

const std::vector<uint64_t> kIntegers = {
    0, 1, 2, 5, 31, 32, 0x7fff, 0x8000, 0xffff, 0x7fffffff, 0x80000000, 0x80000001, 0xffffffff, 0xdeadbeef, 0x12345678};
const std::vector<uint64_t> kLongs = {
    0, 1, 3, 63, 64, 0x7fffffff, 0xffffffff, 1ull << 63, (1ull << 63) - 1, ~0ull, ~0ull << 32, 0x123456789abcdef0};
const std::vector<float> kFloats = {0.0f,          -0.0f,          0.5f,          -0.5f,    1.5f,     2.5f,
                                    -2.5f,         1e-45f,         1e30f,         -1e30f,   127.5f,   255.5f,
                                    2147483648.0f, -2147483904.0f, 4294967296.0f, 9.3e18f,  INFINITY, -INFINITY,
                                    NAN,           65504.0f,       65519.9f,      65520.0f, 5.9e-8f,  1.0009765f};

inline std::vector<uint64_t> floatBits() {
  std::vector<uint64_t> all;
  for (float f : kFloats)
    all.push_back(bits(f));
  return all;
}
inline std::vector<uint64_t> doubleBits() {
  std::vector<uint64_t> all;
  for (float f : kFloats)
    all.push_back(bits(static_cast<double>(f)));
  all.push_back(bits(4294967295.5));
  all.push_back(bits(1e308));
  return all;
}

inline uint32_t u32(uint64_t a) {
  return static_cast<uint32_t>(a);
}
inline int32_t s32(uint64_t a) {
  return static_cast<int32_t>(a);
}
inline int64_t s64(uint64_t a) {
  return static_cast<int64_t>(a);
}

// NaN of 32 bits is one value.
inline uint64_t result(float value) {
  return std::isnan(value) ? 0x7fffffff : bits(value);
}

} // namespace emulated
