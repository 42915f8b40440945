#include "options.h"
#include "kernel.h"

#include <bit>

namespace bench {
namespace {

constexpr int kSteps = 64, kTogether = 16;

struct Options {
  std::shared_ptr<Array<float>> price, spot, strike, years, rate, volatility;
  int n;
};

Options makeOptions(bsgp_context* context, size_t n) {
  Random random(7);
  auto between = [&](float low, float high) {
    return arrayOf<float>(context, n, [&](size_t) { return low + (high - low) * random(); });
  };
  return {arrayOf<float>(context, n),
          between(50, 150),
          between(50, 150),
          between(0.25f, 5),
          between(0.01f, 0.06f),
          between(0.1f, 0.5f),
          int(n)};
}

float normal(float x) {
  float k = 1.0f / (1.0f + 0.2316419f * std::fabs(x));
  float poly = k * (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f))));
  float tail = 0.39894228f * std::exp(-0.5f * x * x) * poly;
  return x < 0 ? tail : 1.0f - tail;
}

void formulaSerial(const Options& o) {
  const float *spot = o.spot->data(), *strike = o.strike->data(), *years = o.years->data(), *rate = o.rate->data(),
              *volatility = o.volatility->data();
  float* price = o.price->data();
  for (int i = 0; i < o.n; ++i) {
    float s = spot[i], x = strike[i], t = years[i], r = rate[i], v = volatility[i];
    float spread = v * std::sqrt(t), d1 = (std::log(s / x) + (r + v * v * 0.5f) * t) / spread;
    price[i] = s * normal(d1) - x * std::exp(-r * t) * normal(d1 - spread);
  }
}

// What a loop needs to become vectors: e^x and ln x without calls and branches, for the numbers that occur here.
inline float simpleExp(float x) {
  float shifted = x * 1.44269504f + 0x1.8p23f, whole = shifted - 0x1.8p23f;
  float y = (x - whole * 0.693359375f) + whole * 2.12194440e-4f;
  float p = 1 + y * (1 + y * (0.5f + y * (0.16666667f + y * (0.041666667f + y * (0.0083333333f + y * 0.0013888889f)))));
  return p * std::bit_cast<float>((std::bit_cast<int32_t>(shifted) + 127) << 23);
}
inline float simpleLog(float x) {
  int32_t bits = std::bit_cast<int32_t>(x) - 0x3f3504f3, exponent = bits >> 23;
  float f = std::bit_cast<float>((bits & 0x7fffff) + 0x3f3504f3) - 1, s = f / (2 + f), z = s * s;
  return float(exponent) * 0.69314718f +
         2 * s * (1 + z * (0.33333333f + z * (0.2f + z * (0.14285714f + z * 0.11111111f))));
}
inline float simpleNormal(float x) {
  float k = 1.0f / (1.0f + 0.2316419f * std::fabs(x));
  float poly = k * (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f))));
  float tail = 0.39894228f * simpleExp(std::max(-0.5f * x * x, -80.0f)) * poly;
  return x < 0 ? tail : 1.0f - tail;
}

void formulaSimd(const Options& o) {
  const float *spot = o.spot->data(), *strike = o.strike->data(), *years = o.years->data(), *rate = o.rate->data(),
              *volatility = o.volatility->data();
  float* price = o.price->data();
#pragma omp simd
  for (int i = 0; i < o.n; ++i) {
    float s = spot[i], x = strike[i], t = years[i], r = rate[i], v = volatility[i];
    float spread = v * std::sqrt(t), d1 = (simpleLog(s / x) + (r + v * v * 0.5f) * t) / spread;
    price[i] = s * simpleNormal(d1) - x * simpleExp(-r * t) * simpleNormal(d1 - spread);
  }
}

struct Tree {
  float rise, fall, end, up2;
};

Tree treeOf(const Options& o, int i) {
  float dt = o.years->data()[i] / kSteps, v = o.volatility->data()[i];
  float up = std::exp(v * std::sqrt(dt)), growth = std::exp(o.rate->data()[i] * dt);
  float probability = (growth - 1 / up) / (up - 1 / up);
  return {probability / growth, (1 - probability) / growth, o.spot->data()[i] * std::exp(-kSteps * v * std::sqrt(dt)),
          up * up};
}

void treeSerial(const Options& o) {
  for (int i = 0; i < o.n; ++i) {
    Tree tree = treeOf(o, i);
    float value[kSteps + 1], x = o.strike->data()[i];
    for (float& leaf : value) {
      leaf = std::max(0.0f, tree.end - x);
      tree.end *= tree.up2;
    }
    for (int last = kSteps; last > 0; --last)
      for (int j = 0; j < last; ++j)
        value[j] = tree.fall * value[j] + tree.rise * value[j + 1];
    o.price->data()[i] = value[0];
  }
}

// Options side by side.
void treeSimd(const Options& o) {
  for (int first = 0; first < o.n; first += kTogether) {
    Tree trees[kTogether];
    float rise[kTogether], fall[kTogether], value[kSteps + 1][kTogether];
    for (int i = 0; i < kTogether; ++i) {
      trees[i] = treeOf(o, first + i);
      rise[i] = trees[i].rise;
      fall[i] = trees[i].fall;
    }
    for (int j = 0; j <= kSteps; ++j)
      for (int i = 0; i < kTogether; ++i) {
        value[j][i] = std::max(0.0f, trees[i].end - o.strike->data()[first + i]);
        trees[i].end *= trees[i].up2;
      }
    for (int last = kSteps; last > 0; --last)
      for (int j = 0; j < last; ++j)
#pragma omp simd
        for (int i = 0; i < kTogether; ++i)
          value[j][i] = fall[i] * value[j][i] + rise[i] * value[j + 1][i];
    std::copy_n(value[0], kTogether, o.price->data() + first);
  }
}

using Exported = bsgp_status(bsgp_context*, float*, float*, float*, float*, float*, float*, int32_t);

Kernel kernelOf(const Options& o, Exported* ours, void (*serial)(const Options&), void (*simd)(const Options&)) {
  Kernel kernel{.tolerance = 5e-4};
  kernel.forms = {
      {Form::Bsgp, "",
       [=](bsgp_context* on) {
         bsgp::check(ours(on, o.price->data(), o.spot->data(), o.strike->data(), o.years->data(), o.rate->data(),
                          o.volatility->data(), o.n));
       }},
      {Form::Serial, "", [=](bsgp_context*) { serial(o); }},
      {Form::Simd, "omp simd", [=](bsgp_context*) { simd(o); }},
  };
  kernel.writes(o.price);
  return kernel;
}

} // namespace

Kernel blackScholes(bsgp_context* context, bool) {
  Kernel kernel = kernelOf(makeOptions(context, 131072), black_scholes, formulaSerial, formulaSimd);
  kernel.size = "131,072 options";
  return kernel;
}

Kernel binomial(bsgp_context* context, bool quick) {
  size_t n = quick ? 16384 : 131072;
  Kernel kernel = kernelOf(makeOptions(context, n), ::binomial, treeSerial, treeSimd);
  kernel.size = std::to_string(n) + " options, 64 steps";
  kernel.work = double(n) * (kSteps * (kSteps + 1) / 2) * 3;
  return kernel;
}

} // namespace bench
