#include "wave.h"
#include "kernel.h"

namespace bench {
namespace {

constexpr int kReach = 4, kSteps = 4;
constexpr float kWeight[kReach + 1] = {-2.847f * 3, 1.6f, -0.2f, 0.0254f, -0.00179f};

struct Field {
  std::shared_ptr<Array<float>> now, before, speed, weight;
  int n;
};

[[gnu::noinline]] void row(float* __restrict out, const float* __restrict a, const float* __restrict speed, int n,
                           int layers) {
  auto around = [=](const float* p, int i) {
    return p[-i] + p[i] + p[-i * n] + p[i * n] + p[-i * layers] + p[i * layers];
  };
  for (int x = kReach; x < n - kReach; ++x) {
    float sum = kWeight[0] * a[x] + kWeight[1] * around(a + x, 1) + kWeight[2] * around(a + x, 2) +
                kWeight[3] * around(a + x, 3) + kWeight[4] * around(a + x, 4);
    out[x] = 2 * a[x] - out[x] + speed[x] * sum;
  }
}

void serial(const Field& field) {
  int n = field.n;
  float *now = field.now->data(), *before = field.before->data();
  for (int step = 0; step < kSteps; ++step) {
    for (int z = kReach; z < n - kReach; ++z)
      for (int y = kReach; y < n - kReach; ++y) {
        int at = (z * n + y) * n;
        row(before + at, now + at, field.speed->data() + at, n, n * n);
      }
    std::swap(now, before);
  }
}

} // namespace

Kernel wave(bsgp_context* context, bool quick) {
  int n = quick ? 96 : 256;
  size_t cells = size_t(n) * n * n;
  auto pulse = [=](size_t i) {
    float x = float(int(i) % n - n / 2), y = float(int(i) / n % n - n / 2), z = float(int(i) / n / n - n / 2);
    return std::exp(-0.01f * (x * x + y * y + z * z));
  };
  auto begin = arrayOf<float>(context, cells, pulse);
  Field f{arrayOf<float>(context, cells), arrayOf<float>(context, cells),
          arrayOf<float>(context, cells, [](size_t) { return 0.1f; }),
          arrayOf<float>(context, kReach + 1, [](size_t i) { return kWeight[i]; }), n};
  Kernel kernel{.size = std::to_string(n) + "^3, 4 steps",
                .work = double(kSteps) * std::pow(n - 2 * kReach, 3) * 33,
                .tolerance = 1e-5};
  kernel.forms = {
      {Form::Bsgp, "",
       [=](bsgp_context* on) {
         bsgp::check(wave_steps(on, f.now->data(), f.before->data(), f.speed->data(), f.weight->data(), f.n, kSteps));
       }},
      {Form::Serial, "", [=](bsgp_context*) { serial(f); }},
  };
  kernel.prepare = [=] {
    std::copy_n(begin->data(), cells, f.now->data());
    std::copy_n(begin->data(), cells, f.before->data());
  };
  kernel.writes(f.now); // where an even number of steps ends
  return kernel;
}

} // namespace bench
