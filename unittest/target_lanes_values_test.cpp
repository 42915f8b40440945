// links: target
// The whole-function vectorizer: divisions, and memory of one thread.
#include <limits>
#include <type_traits>

#include "target_lanes.h"

namespace bsgp::target::test {
namespace {

// ---- divisions

// As irgen guards them: by 0 it is 0, and the one quotient that does not fit wraps.
OneKernel division(const std::string& operation, int bits, bool uniform) {
  std::string type = "i" + std::to_string(bits), text = R"(
  %px = getelementptr inbounds TYPE, ptr addrspace(1) %in, i32 %r
  %x = load TYPE, ptr addrspace(1) %px
  %there = getelementptr inbounds TYPE, ptr addrspace(1) %px, i32 1000
  %loaded = load TYPE, ptr addrspace(1) %there
  %y = add TYPE CHOSEN, 0
  %zero = icmp eq TYPE %y, 0
  %least = icmp eq TYPE %x, LEAST
  %minus = icmp eq TYPE %y, -1
  %wraps = and i1 %least, %minus
  %unsafe = WHEN
  %by = select i1 %unsafe, TYPE 1, TYPE %y
  %q = OPERATION TYPE %x, %by
  %result = select i1 %zero, TYPE 0, TYPE %q
  %po = getelementptr inbounds TYPE, ptr addrspace(1) %out, i32 %r
  store TYPE %result, ptr addrspace(1) %po
  ret void
)";
  bool is_signed = operation[0] == 's';
  std::pair<std::string, std::string> words[] = {
      {"CHOSEN", uniform ? "%divisor" : "%loaded"},
      {"LEAST", std::to_string(-(int64_t(1) << (bits - 2)) * 2)},
      {"WHEN", is_signed ? "or i1 %zero, %wraps" : "or i1 %zero, false"},
      {"OPERATION", operation},
      {"TYPE", type},
  };
  for (const auto& [word, by] : words)
    text = replaced(text, word, by);
  return rankKernel(kInOut + ", " + type + " %divisor", text);
}

template <class T> T divide(const std::string& operation, T x, T y) {
  if (y == 0)
    return 0;
  bool quotient = operation.ends_with("div");
  if (std::is_signed_v<T> && y == T(-1))
    return quotient ? T(0 - std::make_unsigned_t<T>(x)) : T(0);
  return quotient ? T(x / y) : T(x % y);
}

// All pairs of what stands at the ends and near 0, then any numbers: a thousand of dividends, and their divisors.
template <class T> std::vector<T> operands() {
  using Limits = std::numeric_limits<T>;
  std::vector<T> ends{0, 1, 2, 3, 7, 10, T(-1), T(-2), T(-3), T(-10)};
  for (int i = 0; i != 3; ++i)
    ends.insert(ends.end(), {T(Limits::max() - i), T(Limits::min() + i), T(Limits::max() / 2 + i)});
  std::vector<T> all(2000);
  uint64_t state = 88172645463325252;
  for (size_t i = 0; i != 1000; ++i) {
    state = state * 6364136223846793005 + 1442695040888963407;
    bool known = i < ends.size() * ends.size();
    all[i] = known ? ends[i % ends.size()] : T(state >> 20);
    all[1000 + i] = known ? ends[i / ends.size()] : T(state >> (64 - 8 * sizeof(T) + i % (8 * sizeof(T))));
  }
  return all;
}

template <class T> void expectDivisions() {
  const char* prefix = std::is_signed_v<T> ? "s" : "u";
  for (const char* kind : {"div", "rem"}) {
    std::string operation = std::string(prefix) + kind;
    SCOPED_TRACE(operation + " of " + std::to_string(8 * sizeof(T)) + " bits");
    std::vector<T> in = operands<T>();
    expectOfEachRank<T>(division(operation, 8 * sizeof(T), false), in, {slot(T(5))},
                        [&](int64_t r) { return divide<T>(operation, in[r], in[r + 1000]); });
    for (T by : {T(0), T(-1), T(3), std::numeric_limits<T>::min()})
      expectOfEachRank<T>(division(operation, 8 * sizeof(T), true), in, {slot(by)},
                          [&](int64_t r) { return divide<T>(operation, in[r], by); });
  }
}

TEST(LaneDivisions, Of8BitsAreExact) {
  expectDivisions<int8_t>();
  expectDivisions<uint8_t>();
}
TEST(LaneDivisions, Of16BitsAreExact) {
  expectDivisions<int16_t>();
  expectDivisions<uint16_t>();
}
TEST(LaneDivisions, Of32BitsAreExact) {
  expectDivisions<int32_t>();
  expectDivisions<uint32_t>();
}
TEST(LaneDivisions, Of64BitsAreExact) {
  expectDivisions<int64_t>();
  expectDivisions<uint64_t>();
}

TEST(LaneDivisions, AreMadeOfFloatsThatHoldThem) {
  EXPECT_TRUE(has(lanesOf(division("sdiv", 32, false)), "fdiv <16 x double>"));
  EXPECT_TRUE(has(lanesOf(division("urem", 32, false)), "fdiv <16 x double>"));
  EXPECT_TRUE(has(lanesOf(division("udiv", 16, false)), "fdiv <16 x float>"));
  EXPECT_TRUE(has(lanesOf(division("srem", 8, false)), "fdiv <16 x float>"));
  EXPECT_FALSE(has(lanesOf(division("sdiv", 64, false)), "fdiv"));
}

// All of them at once: a lane that does not divide may hold 0.
template <class T> void expectDivisionsUnderCondition(const std::string& operation) {
  std::string type = "i" + std::to_string(8 * sizeof(T));
  OneKernel kernel = rankKernel(kInOut, "  %px = getelementptr inbounds " + type + R"(, ptr addrspace(1) %in, i32 %r
  %x = load )" + type + ", ptr addrspace(1) %px\n  %zero = icmp eq " +
                                            type + R"( %x, 0
  br i1 %zero, label %end, label %then
then:
  %q = )" + operation + " " + type + " 100, %x\n  br label %end\nend:\n  %result = phi " +
                                            type + R"( [ -3, %entry ], [ %q, %then ]
  %po = getelementptr inbounds )" + type + ", ptr addrspace(1) %out, i32 %r\n  store " +
                                            type +
                                            R"( %result, ptr addrspace(1) %po
  ret void
)");
  std::vector<T> in(1000);
  for (int i = 0; i < 1000; ++i)
    in[i] = T(i % 5 * (i % 40));
  expectOfEachRank<T>(kernel, in, {}, [&](int64_t r) { return in[r] ? divide<T>(operation, 100, in[r]) : T(-3); });
}

TEST(LaneDivisions, AreNotMadeByLanesThatAreElsewhere) {
  for (const char* operation : {"sdiv", "srem"}) {
    expectDivisionsUnderCondition<int32_t>(operation);
    expectDivisionsUnderCondition<int64_t>(operation);
  }
  expectDivisionsUnderCondition<uint64_t>("udiv");
  expectDivisionsUnderCondition<uint16_t>("urem");
}

// ---- private arrays

// Fills a[0..n) with v * k, n at most 8; then `use` makes %result of it.
OneKernel privateArray(const std::string& use) {
  return rankKernel(kInOut + ", i32 %n", R"(
  %a = alloca [8 x i32]
  %other = alloca [8 x i32]
  %pi = getelementptr inbounds i32, ptr addrspace(1) %in, i32 %r
  %v = load i32, ptr addrspace(1) %pi
  br label %fill
fill:
  %k = phi i32 [ 0, %entry ], [ %k1, %fill ]
  %pa = getelementptr inbounds [8 x i32], ptr %a, i32 0, i32 %k
  %x = mul i32 %v, %k
  store i32 %x, ptr %pa
  %k1 = add nuw nsw i32 %k, 1
  %more = icmp slt i32 %k1, %n
  br i1 %more, label %fill, label %use
use:
)" + use + R"(
  %po = getelementptr inbounds i32, ptr addrspace(1) %out, i32 %r
  store i32 %result, ptr addrspace(1) %po
  ret void
)");
}

const char* kByCounter = R"(
  br label %head
head:
  %i = phi i32 [ 0, %use ], [ %i1, %head ]
  %sum = phi i32 [ 0, %use ], [ %result, %head ]
  %back = sub nsw i32 %n, %i
  %at = sub nsw i32 %back, 1
  %pb = getelementptr inbounds [8 x i32], ptr %a, i32 0, i32 %at
  %b = load i32, ptr %pb
  %seven = mul i32 %sum, 7
  %result = add i32 %seven, %b
  %i1 = add nuw nsw i32 %i, 1
  %again = icmp slt i32 %i1, %n
  br i1 %again, label %head, label %done
done:)";

const char* kByValue = R"(
  %at = urem i32 %v, %n
  %pb = getelementptr inbounds [8 x i32], ptr %a, i32 0, i32 %at
  %result = load i32, ptr %pb)";

const char* kOfTwo = R"(
  %at = urem i32 %v, %n
  %po0 = getelementptr inbounds [8 x i32], ptr %other, i32 0, i32 %at
  store i32 -9, ptr %po0
  %odd = trunc i32 %v to i1
  %array = select i1 %odd, ptr %a, ptr %other
  %pb = getelementptr inbounds [8 x i32], ptr %array, i32 0, i32 %at
  %result = load i32, ptr %pb)";

const char* kCopied = R"(
  %at = urem i32 %v, %n
  call void @llvm.memset.p0.i64(ptr %other, i8 1, i64 32, i1 false)
  %second = getelementptr inbounds i32, ptr %other, i32 1
  call void @llvm.memcpy.p0.p0.i64(ptr %second, ptr %a, i64 28, i1 false)
  %pb = getelementptr inbounds [8 x i32], ptr %other, i32 0, i32 %at
  %result = load i32, ptr %pb)";

TEST(LaneArrays, AreInterleavedAndReadAsVectors) {
  std::vector<int32_t> in = manyNumbers(1000, 100);
  for (int n : {1, 5, 8})
    expectOfEachRank<int32_t>(privateArray(kByCounter), in, {slot(n)}, [&](int64_t r) {
      int32_t sum = 0;
      for (int k = n - 1; k >= 0; --k)
        sum = 7 * sum + in[r] * k;
      return sum;
    });
  std::string ir = lanesOf(privateArray(kByCounter));
  EXPECT_TRUE(has(ir, "load <16 x i32>, ptr %") && has(ir, "alloca")) << ir;
  EXPECT_FALSE(has(ir, "gather") || has(ir, "scatter")) << ir;
}

TEST(LaneArrays, AreGatheredFromAtAnIndexOfEachLane) {
  std::vector<int32_t> in = manyNumbers(1000, 100);
  for (int n : {1, 5, 8})
    expectOfEachRank<int32_t>(privateArray(kByValue), in, {slot(n)}, [&](int64_t r) { return in[r] * (in[r] % n); });
  std::string ir = lanesOf(privateArray(kByValue));
  EXPECT_EQ(countOf(ir, "call <16 x i32> @llvm.masked.gather"), countOf(ir, "fdiv <16 x double>")) << ir;
  EXPECT_TRUE(has(ir, "masked.gather")) << ir;
  EXPECT_FALSE(has(ir, "scatter")) << ir; // filled as vectors
}

TEST(LaneArrays, MayBeChosenByAddress) {
  std::vector<int32_t> in = manyNumbers(1000, 100);
  for (int n : {1, 5, 8})
    expectOfEachRank<int32_t>(privateArray(kOfTwo), in, {slot(n)},
                              [&](int64_t r) { return in[r] % 2 ? in[r] * (in[r] % n) : -9; });
}

TEST(LaneArrays, AreCopiedAsAWhole) {
  OneKernel kernel = privateArray(kCopied);
  kernel.text +=
      "declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)\ndeclare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)\n";
  std::vector<int32_t> in = manyNumbers(1000, 100);
  for (int n : {1, 5, 8})
    expectOfEachRank<int32_t>(kernel, in, {slot(n)}, [&](int64_t r) {
      int32_t at = in[r] % n;
      return at ? in[r] * (at - 1) : 0x01010101;
    });
}

} // namespace
} // namespace bsgp::target::test
