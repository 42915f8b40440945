#include "sgemm.h"
#include "kernel.h"
#include "lanes.h"

namespace bench {
namespace {

struct Matrices {
  std::shared_ptr<Array<float>> c, a, b;
  int n;
};

// Four rows of B at a time, in pieces that stay in the cache.
void serial(const Matrices& m) {
  constexpr int kRows = 64;
  int n = m.n;
  const float *a = m.a->data(), *b = m.b->data();
  std::fill_n(m.c->data(), size_t(n) * n, 0.0f);
  for (int from = 0; from < n; from += kRows)
    for (int row = 0; row < n; ++row) {
      float* __restrict c = m.c->data() + row * n;
      for (int k = from; k < from + kRows; k += 4) {
        float a0 = a[row * n + k], a1 = a[row * n + k + 1], a2 = a[row * n + k + 2], a3 = a[row * n + k + 3];
        const float *b0 = b + k * n, *b1 = b0 + n, *b2 = b1 + n, *b3 = b2 + n;
        for (int j = 0; j < n; ++j)
          c[j] += a0 * b0[j] + a1 * b1[j] + a2 * b2[j] + a3 * b3[j];
      }
    }
}

// 8 rows by 2 vectors in registers (4 rows where there are 16 registers), a panel of B packed so that it is read in
// order.
constexpr int kTall = sizeof(Floats) == 64 ? 8 : 4, kWide = 2, kDeep = 256;

void tile(float* c, const float* a, const float* panel, int n) {
  Floats sum[kTall][kWide];
  for (int i = 0; i < kTall; ++i)
    for (int j = 0; j < kWide; ++j)
      sum[i][j].copy_from(c + i * n + j * kLanes, stdx::element_aligned);
  for (int k = 0; k < kDeep; ++k) {
    Floats right[kWide];
    for (int j = 0; j < kWide; ++j)
      right[j].copy_from(panel + (k * kWide + j) * kLanes, stdx::element_aligned);
    for (int i = 0; i < kTall; ++i)
      for (int j = 0; j < kWide; ++j)
        sum[i][j] += a[i * n + k] * right[j];
  }
  for (int i = 0; i < kTall; ++i)
    for (int j = 0; j < kWide; ++j)
      sum[i][j].copy_to(c + i * n + j * kLanes, stdx::element_aligned);
}

void vectors(const Matrices& m) {
  int n = m.n;
  float *c = m.c->data(), panel[kDeep * kWide * kLanes];
  std::fill_n(c, size_t(n) * n, 0.0f);
  for (int k = 0; k < n; k += kDeep)
    for (int column = 0; column < n; column += kWide * kLanes) {
      for (int i = 0; i < kDeep; ++i)
        std::copy_n(m.b->data() + (k + i) * n + column, kWide * kLanes, panel + i * kWide * kLanes);
      for (int row = 0; row < n; row += kTall)
        tile(c + row * n + column, m.a->data() + row * n + k, panel, n);
    }
}

using Exported = bsgp_status(bsgp_context*, float*, float*, float*, int32_t);

Kernel kernelOf(bsgp_context* context, bool quick, Exported* ours) {
  int n = quick ? 256 : 1024;
  Random random(13);
  auto element = [&](size_t) { return random() - 0.5f; };
  size_t elements = size_t(n) * size_t(n);
  Matrices m{arrayOf<float>(context, elements), arrayOf<float>(context, elements, element),
             arrayOf<float>(context, elements, element), n};
  Kernel kernel{.size = std::to_string(n) + "x" + std::to_string(n), .work = 2.0 * n * n * n, .tolerance = 1e-4};
  kernel.forms = {
      {Form::Bsgp, "", [=](bsgp_context* on) { bsgp::check(ours(on, m.c->data(), m.a->data(), m.b->data(), n)); }},
      {Form::Serial, "", [=](bsgp_context*) { serial(m); }},
      {Form::Simd, "vectors", [=](bsgp_context*) { vectors(m); }},
  };
  kernel.writes(m.c);
  return kernel;
}

} // namespace

Kernel sgemm(bsgp_context* context, bool quick) {
  return kernelOf(context, quick, sgemm_plain);
}

Kernel sgemmStrips(bsgp_context* context, bool quick) {
  return kernelOf(context, quick, sgemm_strips);
}

Kernel sgemmTiled(bsgp_context* context, bool quick) {
  return kernelOf(context, quick, sgemm_tiled);
}

} // namespace bench
