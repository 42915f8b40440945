// links: plan
// What emulated instructions compute with integers, and conversions, at the edges of their types.
#include <algorithm>
#include <limits>

#include "cuda_emulator_operands.h"

using namespace emulated;
using CudaEmulatorNumbers = emulated::Test;

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
