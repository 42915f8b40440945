// links: target
// The whole-function vectorizer: ways that part and meet again.
#include <regex>

#include "target_lanes.h"

namespace bsgp::target::test {
namespace {

// Turns until 1 is reached, at most 60; of the way, the last number.
OneKernel collatz() {
  return rankKernel(kInOut, kLoad + R"(
  br label %head
head:
  %x = phi i32 [ %v, %entry ], [ %next, %latch ]
  %k = phi i32 [ 0, %entry ], [ %k1, %latch ]
  %late = icmp eq i32 %k, 60
  br i1 %late, label %done, label %body
body:
  %one = icmp ule i32 %x, 1
  br i1 %one, label %done, label %latch
latch:
  %half = lshr i32 %x, 1
  %times = mul i32 %x, 3
  %more = add i32 %times, 1
  %odd = trunc i32 %x to i1
  %next = select i1 %odd, i32 %more, i32 %half
  %k1 = add nuw nsw i32 %k, 1
  br label %head
done:
  %last = phi i32 [ -1, %head ], [ %x, %body ]
  %shifted = shl i32 %last, 8
  %result = add i32 %shifted, %k
)" + kStore);
}

int32_t collatzOf(uint32_t x) {
  int32_t k = 0;
  for (; k != 60; ++k) {
    if (x <= 1)
      return int32_t(x << 8) + k;
    x = x % 2 ? 3 * x + 1 : x / 2;
  }
  return int32_t(0xFFFFFF00u) + k;
}

TEST(Lanes, LeaveALoopOneByOneAndKeepTheValuesOfTheirLastTurn) {
  std::vector<int32_t> in = manyNumbers(1000, 5000);
  expectOfEachRank<int32_t>(collatz(), in, {}, [&](int64_t r) { return collatzOf(in[r]); });
  std::string ir = lanesOf(collatz());
  EXPECT_TRUE(std::regex_search(ir, std::regex("phi <16 x i1>"))) << ir; // who is still in the loop
  EXPECT_TRUE(has(ir, "mul <16 x i32>")) << ir;
  EXPECT_FALSE(has(ir, "extractelement")) << ir;
}

OneKernel underCondition(const std::string& condition) {
  return rankKernel(kInOut + ", i32 %limit", kLoad + "  %yes = icmp sgt i32 " + condition + R"(, %limit
  br i1 %yes, label %then, label %end
then:
  %q = getelementptr inbounds i32, ptr addrspace(1) %pi, i32 1000
  %w = load i32, ptr addrspace(1) %q
  %result = mul i32 %w, %v
  %po = getelementptr inbounds i32, ptr addrspace(1) %out, i32 %r
  store i32 %result, ptr addrspace(1) %po
  br label %end
end:
  ret void
)");
}

TEST(Lanes, ReadAndWriteNeighboursWithAMask) {
  std::vector<int32_t> in = manyNumbers(2000, 100);
  expectOfEachRank<int32_t>(underCondition("%v"), in, {slot(50)},
                            [&](int64_t r) { return in[r] > 50 ? in[r] * in[r + 1000] : 77; });
  std::string ir = lanesOf(underCondition("%v"));
  EXPECT_TRUE(has(ir, "@llvm.masked.load.v16i32")) << ir;
  EXPECT_TRUE(has(ir, "@llvm.masked.store.v16i32")) << ir;
  EXPECT_FALSE(has(ir, "gather") || has(ir, "scatter")) << ir;
}

// Of an even thread and the odd one behind it, both take the even one's number through a loop.
OneKernel pairs() {
  return rankKernel(kInOut, kLoad + R"(
  %b = urem i32 %r, 256
  %ps = getelementptr [256 x i32], ptr addrspace(3) @s, i32 0, i32 %b
  store i32 %v, ptr addrspace(3) %ps
  call void @bsgp.block.sync()
  %even = and i32 %b, -2
  %pe = getelementptr [256 x i32], ptr addrspace(3) @s, i32 0, i32 %even
  %x0 = load i32, ptr addrspace(3) %pe
  br label %loop
loop:
  %x = phi i32 [ %x0, %entry ], [ %half, %loop ]
  %half = lshr i32 %x, 1
  %more = icmp ugt i32 %half, 5
  br i1 %more, label %loop, label %done
done:
  %thrice = mul i32 %half, 3
  %result = add i32 %thrice, %v
)" + kStore,
                    "@s = internal addrspace(3) global [256 x i32] undef, align 64\ndeclare void @bsgp.block.sync()\n");
}

TEST(Lanes, ExchangeInBlocksOfFewerThreadsThanOthers) {
  std::vector<int32_t> in = manyNumbers(1000, 1000000);
  expectOfEachRank<int32_t>(pairs(), in, {}, [&](int64_t r) {
    int32_t x = in[r - r % 2] / 2;
    while (x > 5)
      x /= 2;
    return 3 * x + in[r];
  });
}

TEST(Lanes, AreThoseOfALastBlockToo) {
  std::string ir = optimized(pairs(), laneOptions(0, "x86-64-v4"));
  size_t begin = ir.find("@spawn.0.1.ranks.rest(");
  ASSERT_NE(begin, std::string::npos);
  std::string rest = ir.substr(begin, ir.find("\n}", begin) - begin);
  EXPECT_TRUE(has(rest, "@llvm.masked.store.v16i32"));
  EXPECT_FALSE(has(rest, "load i32,"));
  EXPECT_FALSE(has(rest, "store i32 "));
}

TEST(Lanes, BranchTogetherWhereTheConditionIsTheSame) {
  OneKernel kernel = underCondition("12");
  std::vector<int32_t> in = manyNumbers(2000, 100);
  expectOfEachRank<int32_t>(kernel, in, {slot(11)}, [&](int64_t r) { return in[r] * in[r + 1000]; });
  expectOfEachRank<int32_t>(kernel, in, {slot(12)}, [&](int64_t r) { return 77; });
  OneKernel whole = kernel;
  whole.text = std::regex_replace(whole.text, std::regex("ret void"), "store i32 %v, ptr addrspace(1) %pi\n  ret void");
  std::string ir = lanesOf(whole);
  EXPECT_TRUE(std::regex_search(ir, std::regex("icmp slt i32 %[a-z0-9.]+, 12"))) << ir;
  EXPECT_TRUE(has(ir, "store <16 x i32>")) << ir;
}

OneKernel switching() {
  return rankKernel(kInOut, kLoad + R"(
  switch i32 %v, label %other [ i32 0, label %zero
                                i32 1, label %few
                                i32 2, label %few
                                i32 7, label %seven
                                i32 -5, label %end ]
zero:
  %z = add i32 %r, 100
  br label %end
few:
  %f = mul i32 %r, %v
  br label %seven
seven:
  %s = phi i32 [ %f, %few ], [ 1000, %entry ]
  %t = sub i32 %s, %r
  br label %end
other:
  %o = xor i32 %v, %r
  br label %end
end:
  %result = phi i32 [ %z, %zero ], [ %t, %seven ], [ %o, %other ], [ -1, %entry ]
)" + kStore);
}

TEST(Lanes, GoTheirWaysFromASwitch) {
  std::vector<int32_t> in = manyNumbers(1000, 14);
  for (int32_t& v : in)
    v -= 5;
  expectOfEachRank<int32_t>(switching(), in, {}, [&](int32_t r) -> int32_t {
    int32_t v = in[r];
    return v == -5 ? -1 : v == 0 ? r + 100 : v == 1 || v == 2 ? r * v - r : v == 7 ? 1000 - r : v ^ r;
  });
  EXPECT_TRUE(has(lanesOf(switching()), "xor <16 x i32>"));
}

TEST(Lanes, AreAsManyAsAskedFor) {
  for (unsigned width : {4, 8, 16}) {
    std::string ir = lanesOf(collatz(), width);
    EXPECT_TRUE(has(ir, "mul <" + std::to_string(width) + " x i32>")) << ir;
  }
  std::string alone = lanesOf(collatz(), 1);
  EXPECT_FALSE(std::regex_search(alone, std::regex("<[0-9]+ x i"))) << alone;
}

TEST(Lanes, AreNotMadeOfBlocksOfOne) {
  OneKernel kernel = collatz();
  kernel.block = 1;
  std::string ir = lanesOf(kernel, 0);
  EXPECT_NE(ir, "");
  EXPECT_FALSE(std::regex_search(ir, std::regex("<[0-9]+ x i"))) << ir;
  std::vector<int32_t> in = manyNumbers(1000, 5000);
  expectOfEachRank<int32_t>(kernel, in, {}, [&](int64_t r) { return collatzOf(in[r]); });
}

} // namespace
} // namespace bsgp::target::test
