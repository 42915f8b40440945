#include "convolution.h"
#include "kernel.h"

namespace bench {
namespace {

struct Signal {
  std::shared_ptr<Array<float>> out, in, weight;
  int width, height, radius;
};

// How a programmer who knows the filter would write it: the radius is a constant, so that loops are unrolled.
template <int radius> void rowSerial(const Signal& s) {
  const float* __restrict in = s.in->data(), * __restrict weight = s.weight->data();
  float* __restrict out = s.out->data();
  int n = s.width;
  auto border = [=](int x) {
    float sum = 0;
    for (int i = -radius; i <= radius; ++i)
      sum += weight[radius + i] * in[std::clamp(x + i, 0, n - 1)];
    out[x] = sum;
  };
  for (int x = 0; x < radius; ++x)
    border(x);
  for (int x = radius; x < n - radius; ++x) {
    float sum = 0;
#pragma GCC unroll 64
    for (int i = -radius; i <= radius; ++i)
      sum += weight[radius + i] * in[x + i];
    out[x] = sum;
  }
  for (int x = n - radius; x < n; ++x)
    border(x);
}

template <int radius> void imageSerial(const Signal& s) {
  constexpr int side = 2 * radius + 1;
  int width = s.width, height = s.height;
  const float* __restrict in = s.in->data(), * __restrict weight = s.weight->data();
  float* __restrict out = s.out->data();
  auto border = [=](int x, int y) {
    float sum = 0;
    for (int j = -radius; j <= radius; ++j)
      for (int i = -radius; i <= radius; ++i)
        sum += weight[(radius + j) * side + radius + i] *
               in[std::clamp(y + j, 0, height - 1) * width + std::clamp(x + i, 0, width - 1)];
    out[y * width + x] = sum;
  };
  for (int y = 0; y < height; ++y) {
    bool inner = y >= radius && y < height - radius;
    for (int x = 0; x < (inner ? radius : width); ++x)
      border(x, y);
    if (!inner)
      continue;
    for (int x = radius; x < width - radius; ++x) {
      float sum = 0;
#pragma GCC unroll 64
      for (int j = -radius; j <= radius; ++j)
#pragma GCC unroll 64
        for (int i = -radius; i <= radius; ++i)
          sum += weight[(radius + j) * side + radius + i] * in[(y + j) * width + x + i];
      out[y * width + x] = sum;
    }
    for (int x = width - radius; x < width; ++x)
      border(x, y);
  }
}

Signal makeSignal(bsgp_context* context, int width, int height, int radius, int weights) {
  Random random(11);
  size_t n = size_t(width) * size_t(height);
  return {arrayOf<float>(context, n),
          arrayOf<float>(context, n, [&](size_t) { return random(); }),
          arrayOf<float>(context, size_t(weights), [&](size_t) { return random() / float(weights); }),
          width,
          height,
          radius};
}

Kernel kernelOf(const Signal& s, std::function<void(bsgp_context*)> ours, void (*serial)(const Signal&)) {
  Kernel kernel{.tolerance = 1e-5};
  kernel.forms = {{Form::Bsgp, "", std::move(ours)}, {Form::Serial, "", [=](bsgp_context*) { serial(s); }}};
  kernel.writes(s.out);
  return kernel;
}

} // namespace

Kernel convolution1d(bsgp_context* context, bool quick) {
  constexpr int radius = 16;
  Signal s = makeSignal(context, quick ? 1 << 18 : 1 << 22, 1, radius, 2 * radius + 1);
  auto ours = [=](bsgp_context* on) {
    bsgp::check(convolve_row(on, s.out->data(), s.in->data(), s.weight->data(), s.width, radius));
  };
  Kernel kernel = kernelOf(s, ours, rowSerial<radius>);
  kernel.size = std::to_string(s.width >> 10) + " Ki, 33 weights";
  kernel.work = double(s.width) * 33 * 2;
  return kernel;
}

Kernel convolution2d(bsgp_context* context, bool quick) {
  constexpr int radius = 3;
  Signal s = makeSignal(context, 2048, quick ? 128 : 2048, radius, 49);
  auto ours = [=](bsgp_context* on) {
    bsgp::check(convolve_image(on, s.out->data(), s.in->data(), s.weight->data(), s.width, s.height, radius));
  };
  Kernel kernel = kernelOf(s, ours, imageSerial<radius>);
  kernel.size = std::to_string(s.width) + "x" + std::to_string(s.height) + ", 7x7 weights";
  kernel.work = double(s.width) * s.height * 49 * 2;
  return kernel;
}

} // namespace bench
