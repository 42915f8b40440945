// links: plan
// What emulated instructions compute in floating point: comparisons, arithmetic, halves.
#include <immintrin.h>

#include "cuda_emulator_operands.h"

using namespace emulated;
using CudaEmulatorFloats = emulated::Test;

TEST(CudaEmulatorSamples, AreCheckedWithPtxas) {
  if (!ptxas())
    GTEST_SKIP() << "there is no ptxas here: nothing says that the samples are PTX";
}

TEST_F(CudaEmulatorFloats, Comparisons) {
  Samples s;
  auto less = [](auto a, auto b, auto) -> uint64_t { return single(a) < single(b); };
  s.add("setp.lt.f32 %d, %a, %b;", "pred f32 f32", pairs(floatBits()), less);
  s.add("setp.ltu.f32 %d, %a, %b;", "pred f32 f32", pairs(floatBits()),
        [](auto a, auto b, auto) -> uint64_t { return !(single(a) >= single(b)); });
  s.add("setp.ne.f32 %d, %a, %b;", "pred f32 f32", pairs(floatBits()),
        [](auto a, auto b, auto) -> uint64_t { return single(a) < single(b) || single(a) > single(b); });
  s.add("setp.neu.f64 %d, %a, %b;", "pred f64 f64", pairs(doubleBits()),
        [](auto a, auto b, auto) -> uint64_t { return real(a) != real(b); });
  s.add("setp.nan.f32 %d, %a, %b;", "pred f32 f32", pairs(floatBits()),
        [](auto a, auto b, auto) -> uint64_t { return std::isnan(single(a)) || std::isnan(single(b)); });
  s.add("setp.lt.s32 %d, %a, %b;", "pred s32 s32", pairs(kIntegers),
        [](auto a, auto b, auto) -> uint64_t { return s32(a) < s32(b); });
  s.add("setp.hs.u32 %d, %a, %b;", "pred u32 u32", pairs(kIntegers),
        [](auto a, auto b, auto) -> uint64_t { return a >= b; });
  s.add("setp.gt.s64 %d, %a, %b;", "pred s64 s64", pairs(kLongs),
        [](auto a, auto b, auto) -> uint64_t { return s64(a) > s64(b); });
  s.add("setp.gt.s16 %d, %a, %b;", "pred s16 s16", pairs(kIntegers),
        [](auto a, auto b, auto) -> uint64_t { return static_cast<int16_t>(a) > static_cast<int16_t>(b); });
  s.add("{ .reg .pred %q;\nsetp.eq.u32 %q, %a, 5;\nsetp.lt.and.u32 %d, %b, 6, !%q; }", "pred u32 u32", pairs(kIntegers),
        [](auto a, auto b, auto) -> uint64_t { return b < 6 && a != 5; });
  s.add("{ .reg .pred %p, %q;\nsetp.lt.u32 %p|%q, %a, %b;\nselp.b32 %d, 1, 0, %p;\n@%q add.u32 %d, %d, 2; }",
        "u32 u32 u32", pairs(kIntegers), [](auto a, auto b, auto) { return a < b ? 1 : 2; });
  s.add("set.le.u32.f32 %d, %a, %b;", "u32 f32 f32", pairs(floatBits()),
        [](auto a, auto b, auto) { return single(a) <= single(b) ? 0xffffffffu : 0; });
  s.check();
}

TEST_F(CudaEmulatorFloats, FloatArithmetic) {
  Samples s;
  s.add("add.rn.f32 %d, %a, %b;", "f32 f32 f32", pairs(floatBits()),
        [](auto a, auto b, auto) { return result(single(a) + single(b)); });
  s.add("div.rn.f32 %d, %a, %b;", "f32 f32 f32", pairs(floatBits()),
        [](auto a, auto b, auto) { return result(single(a) / single(b)); });
  s.add("fma.rn.f32 %d, %a, %b, %b;", "f32 f32 f32", pairs(floatBits()),
        [](auto a, auto b, auto) { return result(std::fma(single(a), single(b), single(b))); });
  s.add("sqrt.rn.f32 %d, %a;", "f32 f32", singles(floatBits()),
        [](auto a, auto, auto) { return result(std::sqrt(single(a))); });
  s.add("min.f32 %d, %a, %b;", "f32 f32 f32", pairs(floatBits()), [](auto a, auto b, auto) {
    float x = single(a), y = single(b);
    if (x == 0 && y == 0)
      return bits(std::signbit(x) || std::signbit(y) ? -0.0f : 0.0f);
    return result(std::fmin(x, y));
  });
  s.add("max.NaN.f32 %d, %a, %b;", "f32 f32 f32", pairs(floatBits()), [](auto a, auto b, auto) {
    float x = single(a), y = single(b);
    if (x == 0 && y == 0)
      return bits(std::signbit(x) && std::signbit(y) ? -0.0f : 0.0f);
    return std::isnan(x) || std::isnan(y) ? uint64_t(0x7fffffff) : result(std::fmax(x, y));
  });
  s.add("mul.ftz.f32 %d, %a, %b;", "f32 f32 f32", pairs(floatBits()), [](auto a, auto b, auto) {
    auto flush = [](float x) { return std::fpclassify(x) == FP_SUBNORMAL ? std::copysign(0.0f, x) : x; };
    return result(flush(flush(single(a)) * flush(single(b))));
  });
  s.add("add.rz.f32 %d, %a, %b;", "f32 f32 f32",
        {{bits(1.0f), bits(1e-10f), 0}, {bits(-1.0f), bits(-1e-10f), 0}, {bits(1.0f), bits(-1e-10f), 0}},
        [](auto a, auto b, auto) { return bits(single(a) * single(b) > 0 ? single(a) : std::nextafter(1.0f, 0.0f)); });
  s.add("add.rp.f64 %d, %a, %b;", "f64 f64 f64", {{bits(1.0), bits(1e-30), 0}},
        [](auto, auto, auto) { return bits(std::nextafter(1.0, 2.0)); });
  s.add("sub.rn.f64 %d, %a, %b;", "f64 f64 f64", {{bits(1.0), bits(1e-30), 0}, {bits(3.5), bits(0.25), 0}},
        [](auto a, auto b, auto) { return bits(real(a) - real(b)); });
  s.add("copysign.f32 %d, %a, %b;", "f32 f32 f32", {{bits(-1.0f), bits(2.0f), 0}},
        [](auto, auto, auto) { return bits(-2.0f); });
  s.add("testp.subnormal.f32 %d, %a;", "pred f32", singles(floatBits()),
        [](auto a, auto, auto) -> uint64_t { return std::fpclassify(single(a)) == FP_SUBNORMAL; });
  s.add("neg.f32 %d, %a;", "f32 f32", singles(floatBits()), [](auto a, auto, auto) { return a ^ 0x80000000; });
  s.check();
}

namespace {

__attribute__((target("f16c"))) uint16_t toHalf(float value) {
  return std::isnan(value) ? 0x7fff : static_cast<uint16_t>(_cvtss_sh(value, _MM_FROUND_TO_NEAREST_INT));
}
__attribute__((target("f16c"))) uint16_t toHalfDown(float value) {
  return std::isnan(value) ? 0x7fff : static_cast<uint16_t>(_cvtss_sh(value, _MM_FROUND_TO_ZERO));
}
__attribute__((target("f16c"))) float fromHalf(uint64_t half) {
  return _cvtsh_ss(static_cast<uint16_t>(half));
}

// Some of each exponent, both signs.
std::vector<uint64_t> halves() {
  std::vector<uint64_t> all;
  for (unsigned sign = 0; sign <= 0x8000; sign += 0x8000)
    for (unsigned exponent = 0; exponent < 32; exponent += exponent < 3 || exponent > 28 ? 1 : 5)
      for (unsigned mantissa : {0u, 1u, 0x155u, 0x3ffu})
        if (!(exponent == 31 && mantissa != 0 && mantissa != 0x3ff))
          all.push_back(sign | exponent << 10 | mantissa);
  all.resize(std::min<size_t>(all.size(), 32));
  for (uint64_t more : {0x3c00, 0xbc01, 0x7bff, 0xfbff, 0x0001, 0x8001, 0x7c00})
    all.push_back(more);
  all.resize(std::min<size_t>(all.size(), 32));
  return all;
}

} // namespace

TEST_F(CudaEmulatorFloats, Halves) {
  if (!__builtin_cpu_supports("f16c"))
    GTEST_SKIP() << "this CPU has no instructions for halves to compare with";
  Samples s;
  std::vector<uint64_t> floats = floatBits();
  for (unsigned i = 0; i < 400; ++i) // ties and their neighbours among them
    floats.push_back(0x38000000 + i * 0x123456 % 0x10000000 - i % 3);
  s.add("cvt.rn.f16.f32 %d, %a;", "f16 f32", singles(floats), [](auto a, auto, auto) { return toHalf(single(a)); });
  s.add("cvt.rz.f16.f32 %d, %a;", "f16 f32", singles(floats), [](auto a, auto, auto) { return toHalfDown(single(a)); });
  s.add("cvt.f32.f16 %d, %a;", "f32 f16", singles(halves()), [](auto a, auto, auto) { return result(fromHalf(a)); });
  s.add("add.f16 %d, %a, %b;", "f16 f16 f16", pairs(halves()),
        [](auto a, auto b, auto) { return toHalf(fromHalf(a) + fromHalf(b)); });
  s.add("mul.f16 %d, %a, %b;", "f16 f16 f16", pairs(halves()),
        [](auto a, auto b, auto) { return toHalf(fromHalf(a) * fromHalf(b)); });
  s.add(
      "fma.rn.f16 %d, %a, %b, %a;", "f16 f16 f16", {{0x3c01, 0x3c01, 0}, {0x7bff, 0x3c00, 0}, {0x0001, 0x3800, 0}},
      [](auto a, auto b, auto) { return toHalf(static_cast<float>(double(fromHalf(a)) * fromHalf(b) + fromHalf(a))); });
  s.add("setp.lt.f16 %d, %a, %b;", "pred f16 f16", pairs(halves()),
        [](auto a, auto b, auto) -> uint64_t { return fromHalf(a) < fromHalf(b); });
  s.add("add.f16x2 %d, %a, %b;", "b32 b32 b32", {{0x3c003800, 0x40003c00, 0}},
        [](auto, auto, auto) { return 0x42003e00; });
  s.add("cvt.rzi.s32.f16 %d, %a;", "s32 f16", singles(halves()), [](auto a, auto, auto) -> uint64_t {
    float f = fromHalf(a);
    return std::isnan(f)   ? 0
           : std::isinf(f) ? (f > 0 ? 0x7fffffffu : 0x80000000u)
                           : u32(static_cast<uint64_t>(static_cast<int64_t>(f)));
  });
  s.add("cvt.rn.bf16.f32 %d, %a;", "bf16 f32",
        {{0x3f808000, 0, 0}, {0x3f818000, 0, 0}, {0x3f808001, 0, 0}, {0x7fc00000, 0, 0}},
        [](auto a, auto, auto) { return std::isnan(single(a)) ? 0x7fff : (a + 0x7fff + (a >> 16 & 1)) >> 16; });
  s.check();
}
