// links: target
// The whole-function vectorizer: ways out of loops within loops.
#include "target_lanes.h"

namespace bsgp::target::test {
namespace {

// A loop within a loop, and a way out of both from the inner one.
OneKernel searching() {
  return rankKernel(kInOut, kLoad + R"(
  br label %outer
outer:
  %i = phi i32 [ 1, %entry ], [ %i1, %next ]
  %far = icmp sgt i32 %i, %v
  br i1 %far, label %none, label %inner
inner:
  %j = phi i32 [ %i, %outer ], [ %j1, %step ]
  %p = mul i32 %i, %j
  %found = icmp eq i32 %p, %v
  br i1 %found, label %done, label %on
on:
  %past = icmp sgt i32 %p, %v
  br i1 %past, label %next, label %step
step:
  %j1 = add i32 %j, 3
  br label %inner
next:
  %i1 = add i32 %i, 2
  br label %outer
none:
  br label %done
done:
  %a = phi i32 [ 0, %none ], [ %i, %inner ]
  %b = phi i32 [ 0, %none ], [ %j, %inner ]
  %high = mul i32 %a, 1000
  %result = add i32 %high, %b
)" + kStore);
}

int32_t search(int32_t v) {
  for (int32_t i = 1; i <= v; i += 2)
    for (int32_t j = i; i * j <= v; j += 3)
      if (i * j == v)
        return 1000 * i + j;
  return 0;
}

TEST(NestedLoops, AreLeftTogetherFromTheInnerOne) {
  std::vector<int32_t> in = manyNumbers(1000, 60);
  expectOfEachRank<int32_t>(searching(), in, {}, [&](int64_t r) { return search(in[r]); });
  std::string ir = lanesOf(searching());
  EXPECT_TRUE(has(ir, "mul <16 x i32>")) << ir;
  EXPECT_GE(countOf(ir, "phi <16 x i1>"), 2u) << ir;
}

// Three loops, of which lanes leave the innermost to the end, or to the next turn of the outermost. The middle one
// takes as many turns in all lanes.
OneKernel threeLoops() {
  return rankKernel(kInOut + ", i32 %n", kLoad + R"(
  br label %outer
outer:
  %i = phi i32 [ 0, %entry ], [ %i1, %next ]
  %all = phi i32 [ 0, %entry ], [ %kept, %next ]
  %far = icmp sge i32 %i, %n
  br i1 %far, label %done, label %middle
middle:
  %j = phi i32 [ 0, %outer ], [ %j1, %step ]
  %sum = phi i32 [ %all, %outer ], [ %more, %step ]
  %over = icmp sge i32 %j, 3
  br i1 %over, label %next, label %inner
inner:
  %k = phi i32 [ 0, %middle ], [ %k1, %on ]
  %inside = phi i32 [ %sum, %middle ], [ %more, %on ]
  %bit = lshr i32 %v, %k
  %two = and i32 %bit, 3
  %skip = icmp eq i32 %two, 3
  br i1 %skip, label %next, label %go
go:
  %large = icmp sgt i32 %inside, 60
  br i1 %large, label %done, label %on
on:
  %part = add i32 %inside, %j
  %more = add i32 %part, %two
  %k1 = add i32 %k, 1
  %again = icmp slt i32 %k1, 5
  br i1 %again, label %inner, label %step
step:
  %j1 = add i32 %j, 1
  br label %middle
next:
  %kept = phi i32 [ %sum, %middle ], [ %inside, %inner ]
  %i1 = add i32 %i, 1
  br label %outer
done:
  %a = phi i32 [ %all, %outer ], [ %inside, %go ]
  %b = phi i32 [ -1, %outer ], [ %j, %go ]
  %high = mul i32 %a, 100
  %mid = mul i32 %b, 10
  %both = add i32 %high, %mid
  %result = add i32 %both, %i
)" + kStore);
}

int32_t turns(int32_t v, int32_t n) {
  int32_t all = 0, i = 0;
  for (; i < n; ++i)
    for (int32_t j = 0; j < 3; ++j)
      for (int32_t k = 0; k < 5; ++k) {
        int32_t two = v >> k & 3;
        if (two == 3) {
          j = 3;
          break;
        }
        if (all > 60)
          return 100 * all + 10 * j + i;
        all += j + two;
      }
  return 100 * all - 10 + i;
}

TEST(NestedLoops, AreLeftToTheMiddleAndToTheEnd) {
  std::vector<int32_t> in = manyNumbers(1000, 64);
  for (int n : {0, 1, 3, 8})
    expectOfEachRank<int32_t>(threeLoops(), in, {slot(n)}, [&](int64_t r) { return turns(in[r], n); });
}

} // namespace
} // namespace bsgp::target::test
