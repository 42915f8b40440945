// A problem in rounds, each of which needs the one before it: inputs made once, and the forms that are compared.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <bsgp/bsgp.hpp>

#include "../primitives/team.h"
#include "loops.h"

namespace bench {

template <class T> using Array = bsgp::DeviceArray<T>; // ordinary memory on a CPU, in huge pages: for all forms

struct Form {
  const char* kind;         // "one": all rounds in one spawn; "each": a spawn for each; "threads", "serial": C++
  std::function<int()> run; // how many rounds it took
};

struct Problem {
  std::function<void()> prepare; // before each run, not timed
  std::vector<Form> forms;       // the first one is "one"
  std::function<std::vector<double>()> output;
  double tolerance = 0; // |a - b| is at most that times max(1, |b|)
  int rounds_apart = 0; // by how much the forms' numbers of rounds may differ
};

enum class Extent { Tiny, Quick, Full };

struct Size {
  Extent extent;
  int operator()(int full, int quick, int tiny) const {
    return extent == Extent::Full ? full : extent == Extent::Quick ? quick : tiny;
  }
};

struct Machine {
  bsgp_context* context;
  Team& team;
  Size size;
};

struct Entry {
  std::string name;
  std::function<Problem()> make; // when its turn comes: some take much memory
};

using Problems = std::vector<Entry>;

void addGrids(Problems& to, const Machine& machine);
void addGraphs(Problems& to, const Machine& machine);

template <class T> std::shared_ptr<Array<T>> arrayOf(bsgp_context* context, size_t n) {
  auto array = std::make_shared<Array<T>>(context, n);
  std::fill_n(array->data(), n, T{});
  return array;
}

template <class T> std::vector<double> valuesOf(const Array<T>& array) {
  return {array.data(), array.data() + array.size()};
}

// A pseudo-random number of 32 bits for each i, the same in every run.
inline uint32_t mixed(uint32_t i) {
  i = (i ^ (i >> 16)) * 0x7feb352du;
  i = (i ^ (i >> 15)) * 0x846ca68bu;
  return i ^ (i >> 16);
}

inline int below(int n, uint32_t i) {
  return int((uint64_t(mixed(i)) * uint32_t(n)) >> 32);
}

} // namespace bench
