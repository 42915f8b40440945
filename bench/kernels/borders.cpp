#include <omp.h>

#include "borders.h"
#include "kernel.h"

namespace bench {
namespace {

struct Image {
  std::shared_ptr<Array<float>> out, in, weight;
  int width, height;
};

float flow(float here, float left, float right, float above, float below) {
  return here + 0.2f * (left + right + above + below - 4 * here);
}

// How a programmer would write it in C++: row by row, what is inside in a loop of its own.
void heat(const Image& s, bool fixed, int from, int to) {
  int width = s.width, height = s.height;
  const float* __restrict u = s.in->data();
  float* __restrict v = s.out->data();
  auto border = [=](int x, int y) {
    const float *row = u + y * width, *above = u + std::max(y - 1, 0) * width,
                *below = u + std::min(y + 1, height - 1) * width;
    v[y * width + x] =
        fixed ? row[x] : flow(row[x], row[std::max(x - 1, 0)], row[std::min(x + 1, width - 1)], above[x], below[x]);
  };
  for (int y = from; y < to; ++y) {
    if (y == 0 || y == height - 1) {
      for (int x = 0; x < width; ++x)
        border(x, y);
      continue;
    }
    border(0, y);
    const float* row = u + y * width;
    for (int x = 1; x < width - 1; ++x)
      v[y * width + x] = flow(row[x], row[x - 1], row[x + 1], row[x - width], row[x + width]);
    border(width - 1, y);
  }
}

void filter(const Image& s, int from, int to) {
  int width = s.width, height = s.height;
  const float* __restrict in = s.in->data(), * __restrict weight = s.weight->data();
  float* __restrict out = s.out->data();
  auto border = [=](int x, int y) {
    float sum = 0;
    for (int j = -2; j <= 2; ++j)
      for (int i = -2; i <= 2; ++i)
        sum += weight[j * 5 + i + 12] * in[std::clamp(y + j, 0, height - 1) * width + std::clamp(x + i, 0, width - 1)];
    out[y * width + x] = sum;
  };
  for (int y = from; y < to; ++y) {
    bool inner = y >= 2 && y < height - 2;
    for (int x = 0; x < (inner ? 2 : width); ++x)
      border(x, y);
    if (!inner)
      continue;
    for (int x = 2; x < width - 2; ++x) {
      float sum = 0;
#pragma GCC unroll 8
      for (int j = -2; j <= 2; ++j)
#pragma GCC unroll 8
        for (int i = -2; i <= 2; ++i)
          sum += weight[j * 5 + i + 12] * in[(y + j) * width + x + i];
      out[y * width + x] = sum;
    }
    border(width - 2, y);
    border(width - 1, y);
  }
}

// On all cores, each with rows of its own: `rows` takes the first one and the one behind the last.
template <class Rows> Form parallelForm(const Image& s, Rows rows) {
  return {Form::Parallel, "", [=](bsgp_context*) {
#pragma omp parallel
            {
              int threads = omp_get_num_threads(), mine = omp_get_thread_num();
              rows(s.height * mine / threads, s.height * (mine + 1) / threads);
            }
          }};
}

Image imageOf(bsgp_context* context, int side) {
  Random random(7);
  size_t n = size_t(side) * side;
  return {arrayOf<float>(context, n), arrayOf<float>(context, n, [&](size_t) { return random(); }),
          arrayOf<float>(context, 25, [&](size_t) { return random() / 25; }), side, side};
}

Kernel kernelOf(int side, double operations) {
  return {.size = std::to_string(side) + "^2", .work = double(side) * side * operations, .tolerance = 1e-5};
}

using Step = bsgp_status (*)(bsgp_context*, float*, float*, int32_t, int32_t);
Form heatForm(const char* how, Step step, const Image& s) {
  return {Form::Bsgp, how,
          [=](bsgp_context* on) { bsgp::check(step(on, s.in->data(), s.out->data(), s.width, s.height)); }};
}

using Filter = bsgp_status (*)(bsgp_context*, float*, float*, float*, int32_t, int32_t);
Form filterForm(const char* how, Filter filter, const Image& s) {
  return {Form::Bsgp, how, [=](bsgp_context* on) {
            bsgp::check(filter(on, s.out->data(), s.in->data(), s.weight->data(), s.width, s.height));
          }};
}

} // namespace

Kernel heatInsulated(bsgp_context* context, int side) {
  Image s = imageOf(context, side);
  Kernel kernel = kernelOf(side, 7);
  kernel.forms = {heatForm("2-D", heat_insulated, s),
                  heatForm("flat", heat_insulated_flat, s),
                  heatForm("flat if", heat_insulated_flat_if, s),
                  {Form::Serial, "", [=](bsgp_context*) { heat(s, false, 0, s.height); }},
                  parallelForm(s, [=](int from, int to) { heat(s, false, from, to); })};
  kernel.writes(s.out);
  return kernel;
}

Kernel heatFixed(bsgp_context* context, int side) {
  Image s = imageOf(context, side);
  Kernel kernel = kernelOf(side, 7);
  kernel.forms = {heatForm("2-D", heat_fixed, s),
                  heatForm("2-D if", heat_fixed_if, s),
                  heatForm("flat if", heat_fixed_flat, s),
                  {Form::Serial, "", [=](bsgp_context*) { heat(s, true, 0, s.height); }},
                  parallelForm(s, [=](int from, int to) { heat(s, true, from, to); })};
  kernel.writes(s.out);
  return kernel;
}

Kernel filterClamped(bsgp_context* context, int side) {
  Image s = imageOf(context, side);
  Kernel kernel = kernelOf(side, 50);
  kernel.forms = {filterForm("2-D", ::filter, s),
                  filterForm("flat", filter_flat, s),
                  filterForm("flat if", filter_flat_if, s),
                  {Form::Serial, "", [=](bsgp_context*) { filter(s, 0, s.height); }},
                  parallelForm(s, [=](int from, int to) { filter(s, from, to); })};
  kernel.writes(s.out);
  return kernel;
}

} // namespace bench
