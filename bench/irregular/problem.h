// A problem: inputs made once, BSGP's function at two widths of vectors, and the same algorithm in C++ with threads.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <bsgp/bsgp.hpp>

#include "../primitives/team.h"
#include "irregular.h"
#include "irregular_width1.h" // the same functions, compiled for one thread at a time, NAME_width1

namespace bench {

template <class T> using Array = bsgp::DeviceArray<T>; // ordinary memory on a CPU, in huge pages: for all forms

struct Problem {
  std::string name;
  std::function<void()> prepare = [] {}; // before each run, not timed
  std::function<void()> vectors, alone, cpp;
  std::function<uint64_t()> digest; // of the results: the same for all forms
};

struct Size {
  bool quick;
  int operator()(int full, int small) const { return quick ? small : full; }
};

using Problems = std::vector<std::function<Problem()>>; // made one by one: each takes much memory

void addGraphs(Problems& to, bsgp_context* context, Team& team, Size size);
void addOthers(Problems& to, bsgp_context* context, Team& team, Size size);
void addAtomics(Problems& to, bsgp_context* context, Team& team, Size size);

inline uint32_t mixed(uint32_t h) {
  h = (h ^ (h >> 16)) * 0x7feb352du;
  h = (h ^ (h >> 15)) * 0x846ca68bu;
  return h ^ (h >> 16);
}

inline uint64_t digestOf(const int* values, size_t n) {
  uint64_t sum = 0;
  for (size_t i = 0; i < n; ++i)
    sum = sum * 0x9e3779b97f4a7c15ull + uint32_t(values[i]);
  return sum;
}

// Pseudo-random numbers, the same in every run.
class Random {
public:
  explicit Random(uint32_t seed) : state_(seed) {}
  uint32_t operator()() { return mixed(state_ += 0x9e3779b9u); }
  uint32_t below(uint32_t n) { return uint32_t((uint64_t((*this)()) * n) >> 32); }
  float unit() { return float((*this)() >> 8) * 0x1p-24f; }

private:
  uint32_t state_;
};

constexpr size_t kPiece = 4096; // of a loop, for a thread at a time

} // namespace bench
