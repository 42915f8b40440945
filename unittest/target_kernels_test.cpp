// links: target
// Kernels on the CPU target: every rank once, parameters, asserts, prints, the order of the reference target.
#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "target_kernels.h"

namespace bsgp::target::test {
namespace {

class Kernels : public EveryMode {};
INSTANTIATE_TEST_SUITE_P(Levels, Kernels, modes(), nameOf);

// x[rank] = a*x[rank] + y[rank]
OneKernel saxpy(uint32_t rank_bits, uint32_t block) {
  std::string rank = "i" + std::to_string(rank_bits);
  std::string text = "declare RANK @bsgp.rank.RANK(i32)\n"
                     "define void @spawn.0.1(float %a, ptr addrspace(1) %x, ptr addrspace(1) %y) {\n"
                     "  %r = call RANK @bsgp.rank.RANK(i32 0)\n"
                     "  %px = getelementptr float, ptr addrspace(1) %x, RANK %r\n"
                     "  %py = getelementptr float, ptr addrspace(1) %y, RANK %r\n"
                     "  %vx = load float, ptr addrspace(1) %px\n"
                     "  %vy = load float, ptr addrspace(1) %py\n"
                     "  %s = call float @llvm.fma.f32(float %a, float %vx, float %vy)\n"
                     "  store float %s, ptr addrspace(1) %px\n"
                     "  ret void\n"
                     "}\n"
                     "declare float @llvm.fma.f32(float, float, float)\n";
  return {replaced(text, "RANK", rank), 3, rank_bits, block};
}

void checkSaxpy(const Compiled& kernel, int64_t size, uint64_t shuffle) {
  std::vector<float> x(size + 1), y(size + 1);
  std::iota(x.begin(), x.end(), 0.f);
  std::iota(y.begin(), y.end(), 100.f);
  std::vector<float> expected = x;
  for (int64_t i = 0; i < size; ++i)
    expected[i] = std::fma(2.5f, x[i], y[i]);
  kernel.run(size, {slot(2.5f), slot(x.data()), slot(y.data())}, shuffle);
  EXPECT_EQ(x, expected) << size;
}

TEST_P(Kernels, RunEachRankOnce) {
  for (uint32_t bits : {32u, 64u})
    for (uint32_t block : {256u, 128u}) {
      Compiled kernel(saxpy(bits, block), options());
      for (int64_t size : oddSizes())
        for (uint64_t shuffle : {0, 12345})
          checkSaxpy(kernel, size, shuffle);
    }
}

TEST(Cpus, AreThoseThatLlvmNames) {
  for (const char* cpu : {"x86-64-v2", "x86-64-v3", "x86-64-v4"}) {
    if (std::string(cpu) == "x86-64-v4" && !__builtin_cpu_supports("avx512vl"))
      GTEST_SKIP() << "this machine has no AVX-512";
    checkSaxpy(Compiled(saxpy(32, 256), optionsFor(cpu)), 1000, 0);
  }
}

// Where the machine has no instruction for it, LLVM calls a function of the C compiler's library.
TEST(Cpus, ConvertHalf) {
  OneKernel kernel{R"(
define void @spawn.0.1(half %h, double %d, ptr addrspace(1) %out) {
  %f = fpext half %h to float
  store float %f, ptr addrspace(1) %out
  %t = fptrunc double %d to half
  %p = getelementptr half, ptr addrspace(1) %out, i64 2
  store half %t, ptr addrspace(1) %p
  ret void
}
)",
                   3};
  for (const char* cpu : {"x86-64-v2", "native"}) {
    uint64_t out = 0;
    Compiled(kernel, optionsFor(cpu)).run(1, {slot(uint16_t(0x3E00)), slot(2.5), slot(&out)});
    EXPECT_EQ(uint32_t(out), std::bit_cast<uint32_t>(1.5f));
    EXPECT_EQ(out >> 32, 0x4100u);
  }
}

TEST_P(Kernels, TakeRanksBeyond32Bits) {
  OneKernel kernel{R"(
declare i64 @bsgp.rank.i64(i32)
define void @spawn.0.1(ptr addrspace(1) %out) {
  %r = call i64 @bsgp.rank.i64(i32 0)
  %i = sub i64 %r, 5000000000
  %p = getelementptr i64, ptr addrspace(1) %out, i64 %i
  store i64 %r, ptr addrspace(1) %p
  ret void
}
)",
                   1, 64};
  Compiled compiled(kernel, options());
  std::vector<int64_t> out(300);
  int64_t first = 5000000000 / 256;
  compiled.runBlocks(5000000000 + 300, first, first + 2, {slot(out.data())}, 7);
  for (int i = 0; i < 300; ++i)
    ASSERT_EQ(out[i], 5000000000 + i);
}

TEST_P(Kernels, TakeTheLastRankOf32Bits) {
  OneKernel kernel = rankKernel("ptr addrspace(1) %out", R"(
  %i = sub nsw i32 %r, 2147483392
  %p = getelementptr i32, ptr addrspace(1) %out, i32 %i
  store i32 %r, ptr addrspace(1) %p
  ret void)");
  Compiled compiled(kernel, options());
  std::vector<int32_t> out(256);
  compiled.runBlocks(2147483647, 8388607, 8388608, {slot(out.data())}, 7);
  for (int i = 0; i < 255; ++i)
    ASSERT_EQ(out[i], 2147483392 + i);
  EXPECT_EQ(out[255], 0);
}

TEST_P(Kernels, ReadParametersInTheirWidth) {
  std::string text = "define void @spawn.0.1(i8 %a, i16 %b, i32 %c, i64 %d, half %e, float %f, double %g, i1 %h, "
                     "ptr %i, ptr addrspace(1) %out) {\n  %whole = zext i1 %h to i8\n";
  int place = 0;
  for (const char* value :
       {"i8 %a", "i16 %b", "i32 %c", "i64 %d", "half %e", "float %f", "double %g", "i8 %whole", "ptr %i"}) {
    std::string p = "%p" + std::to_string(place);
    text += p + " = getelementptr i64, ptr addrspace(1) %out, i64 " + std::to_string(place++) + "\n";
    text += std::string("store ") + value + ", ptr addrspace(1) " + p + "\n";
  }
  OneKernel kernel{text + "ret void\n}\n", 10};
  std::vector<uint64_t> out(9);
  Compiled(kernel, options())
      .run(1, {slot(int8_t(-3)), slot(int16_t(-300)), slot(-70000), slot(int64_t(-1) << 40), slot(uint16_t(0x3C00)),
               slot(1.5f), slot(-2.25), slot(uint8_t(1)), slot(&out), slot(out.data())});
  EXPECT_EQ(int8_t(out[0]), -3);
  EXPECT_EQ(int16_t(out[1]), -300);
  EXPECT_EQ(int32_t(out[2]), -70000);
  EXPECT_EQ(int64_t(out[3]), int64_t(-1) << 40);
  EXPECT_EQ(out[4], 0x3C00u);
  EXPECT_EQ(out[5], std::bit_cast<uint32_t>(1.5f));
  EXPECT_EQ(out[6], std::bit_cast<uint64_t>(-2.25));
  EXPECT_EQ(out[7], 1u);
  EXPECT_EQ(out[8], uint64_t(&out));
}

TEST_P(Kernels, TakeSizesAndStreams) {
  OneKernel kernel = rankKernel("ptr addrspace(1) %s, i32 %size, i32 %old", R"(
  %up = sub i32 %size, %r
  %v = add i32 %up, %old
  %p = getelementptr i32, ptr addrspace(1) %s, i32 %r
  store i32 %v, ptr addrspace(1) %p
  ret void)");
  kernel.kinds = {plan::Param::Stream, plan::Param::Size, plan::Param::OldSize};
  Compiled compiled(kernel, options());
  std::vector<int32_t> out(1000);
  compiled.run(1000, {slot(out.data()), slot(int64_t(1000)), slot(int64_t(7))});
  for (int i = 0; i < 1000; ++i)
    ASSERT_EQ(out[i], 1007 - i);
}

// One thread of many writes, to a place that all of them know.
TEST_P(Kernels, LetOneThreadWrite) {
  OneKernel kernel = rankKernel("ptr addrspace(1) %x, ptr addrspace(1) %total, i32 %size", R"(
  %px = getelementptr i32, ptr addrspace(1) %x, i32 %r
  %v = load i32, ptr addrspace(1) %px
  %w = mul i32 %v, 3
  store i32 %w, ptr addrspace(1) %px
  %seen = load i32, ptr addrspace(1) %px
  %end = sub i32 %size, 1
  %last = icmp eq i32 %r, %end
  br i1 %last, label %write, label %done
write:
  store i32 %seen, ptr addrspace(1) %total
  br label %done
done:
  ret void)");
  kernel.kinds = {plan::Param::Frame, plan::Param::Frame, plan::Param::Size};
  Compiled compiled(kernel, options());
  for (int64_t size : {1, 256, 1000}) {
    std::vector<int32_t> x(size);
    std::iota(x.begin(), x.end(), 1);
    int32_t total = 0;
    compiled.run(size, {slot(x.data()), slot(&total), slot(size)});
    EXPECT_EQ(total, 3 * size);
    EXPECT_EQ(x.back(), 3 * size);
  }
}

// The thread ends at the assert: out keeps its old value.
OneKernel asserting() {
  return rankKernel(kInOut, kLoad + R"(
  %ok = icmp sge i32 %v, 0
  call void @bsgp.assert(i1 %ok, ptr @site)
  %result = mul i32 %v, 3
)" + kStore,
                    R"(
@file = private constant [2 x i8] c"f\00"
@site = private constant { ptr, i32, i32, ptr } { ptr @file, i32 12, i32 3, ptr null }
declare void @bsgp.assert(i1, ptr))");
}

TEST_P(Kernels, EndAThreadAtAFailedAssert) {
  Compiled compiled(asserting(), options());
  std::vector<int32_t> in(1000), out(1000, -7);
  std::iota(in.begin(), in.end(), 0);
  in[300] = in[301] = in[999] = -1;
  Failures failures = compiled.run(1000, {slot(in.data()), slot(out.data())});
  ASSERT_FALSE(failures.all.empty());
  for (const Failures::One& failure : failures.all) {
    EXPECT_EQ(failure.kind, uint32_t(BSGP_FAIL_ASSERT));
    EXPECT_EQ(failure.site->line, 12u);
    EXPECT_STREQ(failure.site->file, "f");
  }
  EXPECT_EQ(failures.all.front().rank, 300);
  EXPECT_EQ(failures.all.back().rank, 999);
  for (int i = 0; i < 1000; ++i)
    ASSERT_EQ(out[i], in[i] < 0 ? -7 : 3 * i);
}

TEST_P(Kernels, ReportNothingWhenAssertsHold) {
  Compiled compiled(asserting(), options());
  std::vector<int32_t> in(1000, 5), out(1000);
  EXPECT_TRUE(compiled.run(1000, {slot(in.data()), slot(out.data())}).all.empty());
  EXPECT_EQ(out, std::vector<int32_t>(1000, 15));
}

TEST_P(Kernels, ReportAssertsInLoopsAndBranches) {
  OneKernel kernel = rankKernel("ptr addrspace(1) %out, i32 %limit", R"(
  %odd = trunc i32 %r to i1
  br i1 %odd, label %loop, label %done
loop:
  %i = phi i32 [ 0, %entry ], [ %j, %loop ]
  %j = add i32 %i, 1
  %ok = icmp sle i32 %j, %limit
  call void @bsgp.assert(i1 %ok, ptr @site)
  %more = icmp slt i32 %j, %r
  br i1 %more, label %loop, label %done
done:
  %v = phi i32 [ 0, %entry ], [ %j, %loop ]
  %p = getelementptr i32, ptr addrspace(1) %out, i32 %r
  store i32 %v, ptr addrspace(1) %p
  ret void)",
                                R"(
@site = private constant { ptr, i32, i32, ptr } { ptr null, i32 4, i32 1, ptr null }
declare void @bsgp.assert(i1, ptr))");
  Compiled compiled(kernel, options());
  std::vector<int32_t> out(100, -1);
  Failures failures = compiled.run(100, {slot(out.data()), slot(51)});
  ASSERT_FALSE(failures.all.empty());
  EXPECT_EQ(failures.all.front().rank, 53);
  for (int i = 0; i < 100; ++i)
    ASSERT_EQ(out[i], i % 2 == 0 ? 0 : i <= 51 ? i : -1);
}

TEST_P(Kernels, PrintInSlots) {
  OneKernel kernel{R"(
@format = private constant [8 x i8] c"%d %g\0A\00\00"
declare i64 @bsgp.rank.i64(i32)
declare void @bsgp.print(ptr, ...)
define void @spawn.0.1(double %x) {
  %r = call i64 @bsgp.rank.i64(i32 0)
  %b = bitcast double %x to i64
  call void (ptr, ...) @bsgp.print(ptr @format, i64 %r, i64 %b)
  call void (ptr, ...) @bsgp.print(ptr @format)
  ret void
}
)",
                   1, 64};
  printed().clear();
  Compiled(kernel, options()).run(3, {slot(2.5)});
  ASSERT_EQ(printed().size(), 6u);
  EXPECT_EQ(printed()[2].format, "%d %g\n");
  EXPECT_EQ(printed()[2].arguments, (std::vector<uint64_t>{1, std::bit_cast<uint64_t>(2.5)}));
  EXPECT_TRUE(printed()[3].arguments.empty());
}

// A table of the thread's own, indexed by data: it stays in memory, and threads must not see each other's.
TEST_P(Kernels, KeepPrivateArraysApart) {
  OneKernel kernel = rankKernel("ptr addrspace(1) %key, ptr addrspace(1) %out", R"(
  %t = alloca [4 x i32]
  %pk = getelementptr i32, ptr addrspace(1) %key, i32 %r
  %k = load i32, ptr addrspace(1) %pk
  %k1 = and i32 %k, 3
  %k2 = xor i32 %k1, 1
  %p1 = getelementptr [4 x i32], ptr %t, i32 0, i32 %k1
  %p2 = getelementptr [4 x i32], ptr %t, i32 0, i32 %k2
  store i32 %r, ptr %p1
  store i32 7, ptr %p2
  %p3 = getelementptr [4 x i32], ptr %t, i32 0, i32 %k1
  %v = load i32, ptr %p3
  %po = getelementptr i32, ptr addrspace(1) %out, i32 %r
  store i32 %v, ptr addrspace(1) %po
  ret void)");
  Compiled compiled(kernel, options());
  std::vector<int32_t> key(1000), out(1000), expected(1000);
  for (int i = 0; i < 1000; ++i)
    key[i] = i * 7919, expected[i] = i;
  compiled.run(1000, {slot(key.data()), slot(out.data())});
  EXPECT_EQ(out, expected);
}

// out[order++] = rank, which only a target that runs one lane at a time can do.
std::vector<int32_t> orderOfLanes(const Compiled& compiled, int64_t size, uint64_t shuffle) {
  std::vector<int32_t> order(size, -1);
  int32_t next = 0;
  compiled.run(size, {slot(order.data()), slot(&next)}, shuffle);
  EXPECT_EQ(next, size);
  return order;
}

const OneKernel kOrder = rankKernel("ptr addrspace(1) %order, ptr addrspace(1) %next", R"(
  %n = load i32, ptr addrspace(1) %next
  %p = getelementptr i32, ptr addrspace(1) %order, i32 %n
  store i32 %r, ptr addrspace(1) %p
  %m = add i32 %n, 1
  store i32 %m, ptr addrspace(1) %next
  ret void)");

TEST(ReferenceOrder, VisitsEachLaneOnce) {
  CpuOptions options = testOptions();
  options.reference = true;
  for (uint32_t block : {256u, 100u, 1u}) {
    OneKernel kernel = kOrder;
    kernel.block = block;
    Compiled compiled(kernel, options);
    for (int64_t size : {0, 1, 2, 3, 5, 255, 256, 257, 1000})
      for (uint64_t shuffle : {1ull, 2ull, 99ull, ~0ull}) {
        std::vector<int32_t> order = orderOfLanes(compiled, size, shuffle);
        for (int64_t first = 0; first < size; first += block) // block by block
          std::sort(order.begin() + first, order.begin() + std::min<int64_t>(size, first + block));
        std::vector<int32_t> expected(size);
        std::iota(expected.begin(), expected.end(), 0);
        ASSERT_EQ(order, expected) << block << ' ' << size << ' ' << shuffle;
      }
  }
}

TEST(ReferenceOrder, IsShuffledOnlyOnRequest) {
  CpuOptions options = testOptions();
  options.reference = true;
  Compiled compiled(kOrder, options);
  std::vector<int32_t> in_order(1000);
  std::iota(in_order.begin(), in_order.end(), 0);
  EXPECT_EQ(orderOfLanes(compiled, 1000, 0), in_order);
  EXPECT_NE(orderOfLanes(compiled, 1000, 1), in_order);
  EXPECT_NE(orderOfLanes(compiled, 1000, 1), orderOfLanes(compiled, 1000, 2));
  EXPECT_EQ(orderOfLanes(compiled, 1000, 2), orderOfLanes(compiled, 1000, 2));
}

} // namespace
} // namespace bsgp::target::test
