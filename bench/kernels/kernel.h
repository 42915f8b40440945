// A kernel: inputs made once, and forms of one computation that take turns on them: BSGP, plain C++, SIMD C++.
#pragma once

#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include <bsgp/bsgp.hpp>

namespace bench {

// Device memory is ordinary memory on a CPU, in huge pages: the C++ forms read and write the same arrays.
template <class T> using Array = bsgp::DeviceArray<T>;

// An array with element(i) at i, owned by those who hold it: the forms.
template <class T, class Function>
std::shared_ptr<Array<T>> arrayOf(bsgp_context* context, size_t n, Function element) {
  auto array = std::make_shared<Array<T>>(context, n);
  for (size_t i = 0; i < n; ++i)
    array->data()[i] = T(element(i));
  return array;
}
template <class T> std::shared_ptr<Array<T>> arrayOf(bsgp_context* context, size_t n) {
  return arrayOf<T>(context, n, [](size_t) { return T{}; });
}

struct Form {
  enum Kind { Bsgp, Serial, Simd, Parallel };
  Kind kind;
  std::string how; // of a SIMD form: "omp simd", "vectors"; of several of BSGP: each one's name
  std::function<void(bsgp_context*)>
      run; // the context is for BSGP; C++ runs on the calling thread, or (Parallel) on all
};

struct Kernel {
  std::string size;    // what is computed, for the table
  double work = 0;     // floating-point operations of a run, where they are easily counted
  double tolerance;    // of every output: |a - b| <= tolerance * max(1, |b|), b from the serial form
  double outliers = 0; // share of the outputs that may differ by more: where a last bit decides a branch
  std::vector<Form> forms;

  std::function<void()> prepare = [] {}; // before each run, not timed: undoes what a run changes of its input
  std::function<void()> spoil;           // fills the output with what no form computes
  std::function<std::vector<float>()> output;

  // Where every form leaves its output.
  template <class T> void writes(const std::shared_ptr<Array<T>>& array) {
    spoil = [=] { std::fill_n(array->data(), array->size(), T(-12345)); };
    output = [=] { return std::vector<float>(array->data(), array->data() + array->size()); };
  }
};

struct Entry {
  const char* name;
  Kernel (*make)(bsgp_context* context, bool quick); // quick: sizes for a look
};

Kernel mandelbrot(bsgp_context* context, bool quick);
Kernel ambientOcclusion(bsgp_context* context, bool quick);
Kernel noise(bsgp_context* context, bool quick);
Kernel blackScholes(bsgp_context* context, bool quick);
Kernel binomial(bsgp_context* context, bool quick);
Kernel wave(bsgp_context* context, bool quick);
Kernel volume(bsgp_context* context, bool quick);
Kernel rayTracer(bsgp_context* context, bool quick);
Kernel rayPackets(bsgp_context* context, bool quick);
Kernel nbody(bsgp_context* context, bool quick);
Kernel convolution1d(bsgp_context* context, bool quick);
Kernel convolution2d(bsgp_context* context, bool quick);
Kernel sgemm(bsgp_context* context, bool quick);
Kernel sgemmStrips(bsgp_context* context, bool quick);
Kernel sgemmTiled(bsgp_context* context, bool quick);
Kernel heatInsulated(bsgp_context* context, int side);
Kernel heatFixed(bsgp_context* context, int side);
Kernel filterClamped(bsgp_context* context, int side);

// Pseudo-random numbers of 0 ... 1 from a seed: inputs are the same in every run.
class Random {
public:
  explicit Random(uint32_t seed) : state_(seed) {}
  float operator()() {
    state_ = state_ * 1664525u + 1013904223u;
    return float(state_ >> 8) * 0x1p-24f;
  }

private:
  uint32_t state_;
};

} // namespace bench
