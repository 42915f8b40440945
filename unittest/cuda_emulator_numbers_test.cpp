// links: plan
// What emulated instructions compute, at the edges of their types.
#include <cfenv>
#include <cmath>
#include <immintrin.h>
#include <limits>

#include "cuda_emulator.h"

using namespace emulated;
using CudaEmulatorNumbers = emulated::Test;

namespace {

using Inputs = Samples::Inputs;

// All pairs of some values.
Inputs pairs(const std::vector<uint64_t>& values) {
  Inputs inputs;
  for (uint64_t a : values)
    for (uint64_t b : values)
      inputs.push_back({a, b, a ^ b});
  return inputs;
}
Inputs singles(const std::vector<uint64_t>& values) {
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

std::vector<uint64_t> floatBits() {
  std::vector<uint64_t> all;
  for (float f : kFloats)
    all.push_back(bits(f));
  return all;
}
std::vector<uint64_t> doubleBits() {
  std::vector<uint64_t> all;
  for (float f : kFloats)
    all.push_back(bits(static_cast<double>(f)));
  all.push_back(bits(4294967295.5));
  all.push_back(bits(1e308));
  return all;
}

uint32_t u32(uint64_t a) {
  return static_cast<uint32_t>(a);
}
int32_t s32(uint64_t a) {
  return static_cast<int32_t>(a);
}
int64_t s64(uint64_t a) {
  return static_cast<int64_t>(a);
}

// NaN of 32 bits is one value.
uint64_t result(float value) {
  return std::isnan(value) ? 0x7fffffff : bits(value);
}

} // namespace

TEST(CudaEmulatorSamples, AreCheckedWithPtxas) {
  if (!ptxas())
    GTEST_SKIP() << "there is no ptxas here: nothing says that the samples are PTX";
}

TEST_F(CudaEmulatorNumbers, Integers) {
  Samples s;
  s.add("add.s32 %d, %a, %b;", "u32 u32 u32", pairs(kIntegers), [](auto a, auto b, auto) { return u32(a + b); });
  s.add("sub.s32 %d, %a, %b;", "u32 u32 u32", pairs(kIntegers), [](auto a, auto b, auto) { return u32(a - b); });
  s.add("add.sat.s32 %d, %a, %b;", "u32 u32 u32", pairs(kIntegers), [](auto a, auto b, auto) {
    int64_t sum = int64_t(s32(a)) + s32(b);
    return u32(static_cast<uint64_t>(sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : sum));
  });
  s.add("mul.hi.s32 %d, %a, %b;", "u32 u32 u32", pairs(kIntegers),
        [](auto a, auto b, auto) { return u32(static_cast<uint64_t>(int64_t(s32(a)) * s32(b) >> 32)); });
  s.add("mul.wide.s32 %d, %a, %b;", "u64 u32 u32", pairs(kIntegers),
        [](auto a, auto b, auto) { return static_cast<uint64_t>(int64_t(s32(a)) * s32(b)); });
  s.add("mul.hi.u64 %d, %a, %b;", "u64 u64 u64", pairs(kLongs),
        [](auto a, auto b, auto) { return static_cast<uint64_t>(static_cast<unsigned __int128>(a) * b >> 64); });
  s.add("mul.hi.s64 %d, %a, %b;", "u64 u64 u64", pairs(kLongs),
        [](auto a, auto b, auto) { return static_cast<uint64_t>(static_cast<__int128>(s64(a)) * s64(b) >> 64); });
  s.add("mad.lo.s32 %d, %a, %b, %c;", "u32 u32 u32 u32", pairs(kIntegers),
        [](auto a, auto b, auto c) { return u32(u32(a) * u32(b) + u32(c)); });
  s.add("div.s32 %d, %a, 7;", "s32 s32", singles(kIntegers),
        [](auto a, auto, auto) { return u32(static_cast<uint64_t>(int64_t(s32(a) / 7))); });
  s.add("rem.s64 %d, %a, -9;", "s64 s64", singles(kLongs),
        [](auto a, auto, auto) { return static_cast<uint64_t>(s64(a) % -9); });
  s.add("min.s32 %d, %a, %b;", "s32 s32 s32", pairs(kIntegers),
        [](auto a, auto b, auto) { return u32(static_cast<uint64_t>(int64_t(std::min(s32(a), s32(b))))); });
  s.add("max.u64 %d, %a, %b;", "u64 u64 u64", pairs(kLongs), [](auto a, auto b, auto) { return std::max(a, b); });
  s.add("abs.s32 %d, %a;", "s32 s32", singles(kIntegers),
        [](auto a, auto, auto) { return s32(a) < 0 ? u32(0 - a) : u32(a); });
  s.add("mul.lo.s16 %d, %a, %b;", "u16 u16 u16", pairs(kIntegers),
        [](auto a, auto b, auto) { return (a * b) & 0xffff; });
  s.add("add.cc.u32 %d, %a, %b;\naddc.u32 %d, 0, 0;", "u32 u32 u32", pairs(kIntegers),
        [](auto a, auto b, auto) { return (a + b) >> 32; });
  s.add("sub.cc.u32 %d, %a, %b;\nsubc.u32 %d, 9, 0;", "u32 u32 u32", pairs(kIntegers),
        [](auto a, auto b, auto) { return a < b ? 8 : 9; });
  s.check();
}

TEST_F(CudaEmulatorNumbers, ShiftsAndBits) {
  Samples s;
  s.add("shl.b32 %d, %a, %b;", "u32 u32 u32", pairs(kIntegers),
        [](auto a, auto b, auto) { return b > 31 ? 0 : u32(a << b); });
  s.add("shr.u64 %d, %a, %b;", "u64 u64 u32", pairs(kLongs),
        [](auto a, auto b, auto) { return u32(b) > 63 ? 0 : a >> u32(b); });
  s.add("shr.s32 %d, %a, %b;", "s32 s32 u32", pairs(kIntegers),
        [](auto a, auto b, auto) { return u32(static_cast<uint64_t>(int64_t(s32(a)) >> (b > 31 ? 31 : b))); });
  s.add("shr.s16 %d, %a, %b;", "s16 s16 u32", pairs(kIntegers), [](auto a, auto b, auto) {
    return static_cast<uint64_t>(int64_t(static_cast<int16_t>(a)) >> (b > 15 ? 15 : b)) & 0xffff;
  });
  s.add("shf.l.wrap.b32 %d, %a, %b, %c;", "u32 u32 u32 u32", pairs(kIntegers),
        [](auto a, auto b, auto c) { return u32(((b << 32 | a) << (c & 31)) >> 32); });
  s.add("shf.r.clamp.b32 %d, %a, %b, %c;", "u32 u32 u32 u32", pairs(kIntegers),
        [](auto a, auto b, auto c) { return u32((b << 32 | a) >> (c > 32 ? 32 : c)); });
  s.add("popc.b64 %d, %a;", "u32 u64", singles(kLongs), [](auto a, auto, auto) { return std::popcount(a); });
  s.add("clz.b32 %d, %a;", "u32 u32", singles(kIntegers), [](auto a, auto, auto) { return std::countl_zero(u32(a)); });
  s.add("bfind.u32 %d, %a;", "u32 u32", singles(kIntegers),
        [](auto a, auto, auto) { return a ? 31 - std::countl_zero(u32(a)) : 0xffffffffu; });
  s.add("brev.b32 %d, %a;\nbrev.b32 %d, %d;", "u32 u32", singles(kIntegers), [](auto a, auto, auto) { return a; });
  s.add("brev.b32 %d, %a;", "u32 u32", {{1, 0, 0}, {6, 0, 0}},
        [](auto a, auto, auto) { return a == 1 ? 0x80000000u : 0x60000000u; });
  s.add("bfe.u32 %d, %a, 4, 8;", "u32 u32", singles(kIntegers), [](auto a, auto, auto) { return a >> 4 & 0xff; });
  s.add("bfe.s32 %d, %a, 28, 8;", "s32 s32", singles(kIntegers),
        [](auto a, auto, auto) { return u32(static_cast<uint64_t>(int64_t(s32(a) >> 28))); });
  s.add("bfe.s64 %d, %a, 8, 16;", "s64 s64", singles(kLongs),
        [](auto a, auto, auto) { return static_cast<uint64_t>(int64_t(static_cast<int16_t>(a >> 8))); });
  s.add("bfi.b32 %d, %a, %b, 8, 12;", "u32 u32 u32", pairs(kIntegers),
        [](auto a, auto b, auto) { return (b & ~0xfff00ull) | (a & 0xfff) << 8; });
  s.add("prmt.b32 %d, %a, %b, 0x0123;", "u32 u32 u32", pairs(kIntegers),
        [](auto a, auto, auto) { return __builtin_bswap32(u32(a)); });
  s.add("prmt.b32 %d, %a, %b, 0x7bC8;", "u32 u32 u32", pairs(kIntegers), [](auto a, auto b, auto) {
    auto sign = [](uint64_t byte) { return byte & 0x80 ? 0xffull : 0ull; };
    return (b >> 24) << 24 | sign(a >> 24) << 16 | sign(b) << 8 | sign(a);
  });
  s.add("lop3.b32 %d, %a, %b, %c, 0xe8;", "u32 u32 u32 u32", pairs(kIntegers),
        [](auto a, auto b, auto c) { return (a & b) | (a & c) | (b & c); });
  s.add("dp4a.s32.s32 %d, %a, %b, 0;", "u32 u32 u32", pairs(kIntegers), [](auto a, auto b, auto) {
    int32_t sum = 0;
    for (int i = 0; i < 32; i += 8)
      sum += int32_t(static_cast<int8_t>(a >> i)) * static_cast<int8_t>(b >> i);
    return static_cast<uint32_t>(sum);
  });
  s.check();
}

TEST_F(CudaEmulatorNumbers, FloatsToIntegersAreClamped) {
  Samples s;
  auto clamped = [](double value, double low, double high) { return value < low ? low : value > high ? high : value; };
  s.add("cvt.rzi.s32.f32 %d, %a;", "s32 f32", singles(floatBits()), [=](auto a, auto, auto) -> uint64_t {
    float f = single(a);
    return std::isnan(f) ? 0 : u32(static_cast<uint64_t>(int64_t(clamped(std::trunc(f), INT32_MIN, INT32_MAX))));
  });
  s.add("cvt.rni.u32.f32 %d, %a;", "u32 f32", singles(floatBits()), [=](auto a, auto, auto) -> uint64_t {
    float f = single(a);
    return std::isnan(f) ? 0 : static_cast<uint64_t>(clamped(std::nearbyint(f), 0, UINT32_MAX));
  });
  s.add("cvt.rmi.s16.f32 %d, %a;", "s16 f32", singles(floatBits()), [=](auto a, auto, auto) -> uint64_t {
    float f = single(a);
    return std::isnan(f) ? 0 : static_cast<uint64_t>(int64_t(clamped(std::floor(f), INT16_MIN, INT16_MAX))) & 0xffff;
  });
  s.add("cvt.rpi.s32.f64 %d, %a;", "s32 f64", singles(doubleBits()), [=](auto a, auto, auto) -> uint64_t {
    double f = real(a);
    return std::isnan(f) ? 0x80000000
                         : u32(static_cast<uint64_t>(int64_t(clamped(std::ceil(f), INT32_MIN, INT32_MAX))));
  });
  s.add("cvt.rzi.s64.f32 %d, %a;", "s64 f32", singles(floatBits()), [](auto a, auto, auto) -> uint64_t {
    float f = single(a);
    if (std::isnan(f) || f < -9223372036854775808.0f)
      return 1ull << 63;
    return f >= 9223372036854775808.0f ? INT64_MAX : static_cast<uint64_t>(static_cast<int64_t>(f));
  });
  s.add("cvt.rzi.u64.f64 %d, %a;", "u64 f64", singles(doubleBits()), [](auto a, auto, auto) -> uint64_t {
    double f = real(a);
    if (std::isnan(f))
      return 1ull << 63;
    return f <= 0 ? 0 : f >= 18446744073709551616.0 ? UINT64_MAX : static_cast<uint64_t>(f);
  });
  s.check();
}

TEST_F(CudaEmulatorNumbers, IntegersToFloatsAreRoundedOnce) {
  Samples s;
  std::vector<uint64_t> values = kLongs;
  for (uint64_t v : {(1ull << 53) + 1, (1ull << 24) + 1, 0x8000008000000001ull, 0x7fffffbfffffffffull})
    values.push_back(v);
  s.add("cvt.rn.f32.u64 %d, %a;", "f32 u64", singles(values),
        [](auto a, auto, auto) { return bits(static_cast<float>(a)); });
  s.add("cvt.rn.f32.s64 %d, %a;", "f32 s64", singles(values),
        [](auto a, auto, auto) { return bits(static_cast<float>(static_cast<int64_t>(a))); });
  s.add("cvt.rn.f64.u64 %d, %a;", "f64 u64", singles(values),
        [](auto a, auto, auto) { return bits(static_cast<double>(a)); });
  s.add("cvt.rn.f32.s32 %d, %a;", "f32 s32", singles(kIntegers),
        [](auto a, auto, auto) { return bits(static_cast<float>(s32(a))); });
  s.add("cvt.rz.f32.u32 %d, %a;", "f32 u32", {{0xffffffff, 0, 0}, {16777219, 0, 0}},
        [](auto a, auto, auto) { return bits(a == 16777219 ? 16777218.0f : 4294967040.0f); });
  s.add("cvt.rp.f32.u32 %d, %a;", "f32 u32", {{16777217, 0, 0}}, [](auto, auto, auto) { return bits(16777218.0f); });
  s.check();
}

TEST_F(CudaEmulatorNumbers, IntegersToIntegers) {
  Samples s;
  s.add("cvt.s64.s32 %d, %a;", "s64 s32", singles(kIntegers),
        [](auto a, auto, auto) { return static_cast<uint64_t>(int64_t(s32(a))); });
  s.add("cvt.u16.u32 %d, %a;", "u16 u32", singles(kIntegers), [](auto a, auto, auto) { return a & 0xffff; });
  s.add("cvt.s32.s8 %d, %a;", "s32 s32", singles(kIntegers),
        [](auto a, auto, auto) { return static_cast<uint32_t>(int32_t(static_cast<int8_t>(a))); });
  s.add("cvt.u32.u8 %d, %a;", "u32 b16", singles(kIntegers), [](auto a, auto, auto) { return a & 0xff; });
  s.add("cvt.sat.s8.s32 %d, %a;", "s32 s32", singles(kIntegers),
        [](auto a, auto, auto) { return static_cast<uint32_t>(std::min(127, std::max(-128, s32(a)))); });
  s.add("cvt.sat.u32.s32 %d, %a;", "u32 s32", singles(kIntegers),
        [](auto a, auto, auto) { return s32(a) < 0 ? 0 : a; });
  s.check();
}

TEST_F(CudaEmulatorNumbers, RoundingToIntegersAndFormats) {
  Samples s;
  s.add("cvt.rni.f32.f32 %d, %a;", "f32 f32", singles(floatBits()),
        [](auto a, auto, auto) { return result(std::nearbyint(single(a))); });
  s.add("cvt.rzi.f64.f64 %d, %a;", "f64 f64", singles(doubleBits()),
        [](auto a, auto, auto) { return bits(std::trunc(real(a))); });
  s.add("cvt.rmi.f32.f32 %d, %a;", "f32 f32", singles(floatBits()),
        [](auto a, auto, auto) { return result(std::floor(single(a))); });
  s.add("cvt.rpi.f32.f32 %d, %a;", "f32 f32", singles(floatBits()),
        [](auto a, auto, auto) { return result(std::ceil(single(a))); });
  s.add("cvt.rn.f32.f64 %d, %a;", "f32 f64", singles(doubleBits()),
        [](auto a, auto, auto) { return result(static_cast<float>(real(a))); });
  s.add("cvt.f64.f32 %d, %a;", "f64 f32", singles(floatBits()),
        [](auto a, auto, auto) { return bits(double(single(a))); });
  s.add("cvt.sat.f32.f32 %d, %a;", "f32 f32", singles(floatBits()), [](auto a, auto, auto) {
    float f = single(a);
    return bits(f > 0 ? std::min(f, 1.0f) : 0.0f);
  });
  s.add("cvt.rz.f32.f64 %d, %a;", "f32 f64", {{bits(0.1), 0, 0}, {bits(-1e300), 0, 0}}, [](auto a, auto, auto) {
    return bits(real(a) > 0 ? std::nextafter(0.1f, 0.0f) : -std::numeric_limits<float>::max());
  });
  s.check();
}

TEST_F(CudaEmulatorNumbers, Comparisons) {
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

TEST_F(CudaEmulatorNumbers, FloatArithmetic) {
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

TEST_F(CudaEmulatorNumbers, Halves) {
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
