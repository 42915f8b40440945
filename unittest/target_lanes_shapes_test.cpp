// links: target
// The whole-function vectorizer: what is known of values made from the rank. A value taken for the same in all lanes,
// or for one that grows evenly, but is not, shows as a wrong result.
#include "target_lanes.h"

namespace bsgp::target::test {
namespace {

struct Expression {
  const char* text; // makes i32 %e of %r and %n
  int32_t (*value)(uint32_t r, int32_t n);
};

const Expression kExpressions[] = {
    {"%e = and i32 %r, 16", [](uint32_t r, int32_t) { return int32_t(r & 16); }},
    {"%e = and i32 %r, -16", [](uint32_t r, int32_t) { return int32_t(r & ~15u); }},
    {"%e = and i32 %r, 7", [](uint32_t r, int32_t) { return int32_t(r & 7); }},
    {"%e = or i32 %r, 15", [](uint32_t r, int32_t) { return int32_t(r | 15); }},
    {"%e = xor i32 %r, 5", [](uint32_t r, int32_t) { return int32_t(r ^ 5); }},
    {"%e = xor i32 %r, -1", [](uint32_t r, int32_t) { return int32_t(~r); }},
    {"%a = add i32 %r, 1\n%e = and i32 %a, 16", [](uint32_t r, int32_t) { return int32_t((r + 1) & 16); }},
    {"%a = add i32 %r, 3\n%e = lshr i32 %a, 4", [](uint32_t r, int32_t) { return int32_t((r + 3) >> 4); }},
    {"%a = add i32 %r, 16\n%e = lshr i32 %a, 4", [](uint32_t r, int32_t) { return int32_t((r + 16) >> 4); }},
    {"%a = add i32 %r, %n\n%e = lshr i32 %a, 3", [](uint32_t r, int32_t n) { return int32_t((r + n) >> 3); }},
    {"%a = shl i32 %r, 1\n%e = and i32 %a, 32", [](uint32_t r, int32_t) { return int32_t(2 * r & 32); }},
    {"%a = mul i32 %r, 3\n%e = and i32 %a, 48", [](uint32_t r, int32_t) { return int32_t(3 * r & 48); }},
    {"%a = lshr i32 %r, 2\n%e = and i32 %a, 12", [](uint32_t r, int32_t) { return int32_t(r / 4 & 12); }},
    {"%e = lshr i32 %r, 5", [](uint32_t r, int32_t) { return int32_t(r >> 5); }},
    {"%e = udiv i32 %r, 4", [](uint32_t r, int32_t) { return int32_t(r / 4); }},
    {"%e = urem i32 %r, 8", [](uint32_t r, int32_t) { return int32_t(r % 8); }},
    {"%e = urem i32 %r, 64", [](uint32_t r, int32_t) { return int32_t(r % 64); }},
    {"%a = add i32 %r, 9\n%e = urem i32 %a, 32", [](uint32_t r, int32_t) { return int32_t((r + 9) % 32); }},
    {"%a = sub i32 %r, 500\n%e = ashr i32 %a, 4", [](uint32_t r, int32_t) { return (int32_t(r) - 500) >> 4; }},
    {"%a = sub i32 %r, 500\n%e = sdiv i32 %a, 16", [](uint32_t r, int32_t) { return (int32_t(r) - 500) / 16; }},
    {"%a = sub i32 %r, 500\n%e = srem i32 %a, 16", [](uint32_t r, int32_t) { return (int32_t(r) - 500) % 16; }},
    {"%a = sub i32 %n, %r\n%e = sdiv i32 %a, 10", [](uint32_t r, int32_t n) { return (n - int32_t(r)) / 10; }},
    {"%e = sub i32 %n, %r", [](uint32_t r, int32_t n) { return n - int32_t(r); }},
    {"%e = mul i32 %r, %n", [](uint32_t r, int32_t n) { return int32_t(r * n); }},
    {"%e = mul i32 %r, 1073741824", [](uint32_t r, int32_t) { return int32_t(r << 30); }},
    {"%e = shl i32 %r, 31", [](uint32_t r, int32_t) { return int32_t(r << 31); }},
    {"%a = trunc i32 %r to i8\n%e = sext i8 %a to i32", [](uint32_t r, int32_t) { return int32_t(int8_t(r)); }},
    {"%a = trunc i32 %r to i8\n%e = zext i8 %a to i32", [](uint32_t r, int32_t) { return int32_t(uint8_t(r)); }},
    {"%a = trunc i32 %r to i8\n%b = add i8 %a, -7\n%c = lshr i8 %b, 4\n%e = zext i8 %c to i32",
     [](uint32_t r, int32_t) { return int32_t(uint8_t(r - 7) >> 4); }},
    {"%a = trunc i32 %r to i8\n%b = mul i8 %a, 32\n%c = sdiv i8 %b, 3\n%e = sext i8 %c to i32",
     [](uint32_t r, int32_t) { return int8_t(r * 32) / 3; }},
    {"%a = icmp slt i32 %r, %n\n%e = select i1 %a, i32 %r, i32 %n",
     [](uint32_t r, int32_t n) { return std::min(int32_t(r), n); }},
    {"%a = icmp ugt i32 %r, 31\n%e = zext i1 %a to i32", [](uint32_t r, int32_t) { return int32_t(r > 31); }},
    {"%a = icmp sle i32 %r, 15\n%e = sext i1 %a to i32", [](uint32_t r, int32_t) { return -int32_t(r <= 15); }},
    {"%a = icmp ult i32 %r, 96\n%e = zext i1 %a to i32", [](uint32_t r, int32_t) { return int32_t(r < 96); }},
    {"%a = icmp sge i32 %r, 100\n%e = zext i1 %a to i32", [](uint32_t r, int32_t) { return int32_t(r >= 100); }},
    {"%b = sub i32 %r, 32\n%a = icmp ult i32 %b, 64\n%e = zext i1 %a to i32",
     [](uint32_t r, int32_t) { return int32_t(r - 32 < 64); }},
    {"%a = zext i32 %r to i64\n%b = mul i64 %a, 1000000007\n%c = lshr i64 %b, 20\n%e = trunc i64 %c to i32",
     [](uint32_t r, int32_t) { return int32_t(uint64_t(r) * 1000000007 >> 20); }},
};

// Used as a value, as a condition, as an index of either signedness, and as the number of turns.
OneKernel kernelOf(const Expression& expression) {
  return rankKernel(kInOut + ", i32 %n", std::string(expression.text) + R"(
  %yes = icmp sgt i32 %e, 3
  br i1 %yes, label %then, label %else
then:
  %low = and i32 %e, 1023
  %pl = getelementptr inbounds i32, ptr addrspace(1) %in, i32 %low
  %l = load i32, ptr addrspace(1) %pl
  br label %else
else:
  %first = phi i32 [ %e, %entry ], [ %l, %then ]
  %turns = and i32 %e, 7
  br label %head
head:
  %k = phi i32 [ 0, %else ], [ %k1, %body ]
  %x = phi i32 [ %first, %else ], [ %next, %body ]
  %more = icmp slt i32 %k, %turns
  br i1 %more, label %body, label %done
body:
  %seven = mul i32 %x, 7
  %next = add i32 %seven, %e
  %k1 = add nuw nsw i32 %k, 1
  br label %head
done:
  %po = getelementptr inbounds i32, ptr addrspace(1) %out, i32 %r
  store i32 %x, ptr addrspace(1) %po
  ret void
)");
}

TEST(LaneShapes, AreRightOfEachExpressionOfTheRank) {
  std::vector<int32_t> in = manyNumbers(1024, 1000000);
  for (const Expression& expression : kExpressions)
    for (int32_t n : {0, 37, 64}) {
      SCOPED_TRACE(std::string(expression.text) + ", n = " + std::to_string(n));
      expectOfEachRank<int32_t>(kernelOf(expression), in, {slot(n)}, [&](int64_t r) {
        int32_t e = expression.value(uint32_t(r), n);
        uint32_t x = e > 3 ? in[e & 1023] : e;
        for (int32_t k = 0; k < (e & 7); ++k)
          x = 7 * x + uint32_t(e);
        return int32_t(x);
      });
    }
}

// An index that the expression alone makes, from the middle of an array.
TEST(LaneShapes, ReadWhereTheExpressionPoints) {
  std::vector<int32_t> in = manyNumbers(4096, 1000000);
  for (const Expression& expression : kExpressions) {
    SCOPED_TRACE(expression.text);
    auto fits = [&](int64_t r) { return std::abs(int64_t(expression.value(uint32_t(r), 37))) < 2048; };
    bool all = true;
    for (int64_t r = 0; r != 1024; ++r)
      all &= fits(r);
    if (!all)
      continue;
    OneKernel kernel = rankKernel(kInOut + ", i32 %n", std::string(expression.text) + R"(
  %wide = sext i32 %e to i64
  %middle = add i64 %wide, 2048
  %pm = getelementptr inbounds i32, ptr addrspace(1) %in, i64 %middle
  %m = load i32, ptr addrspace(1) %pm
  %po = getelementptr inbounds i32, ptr addrspace(1) %out, i32 %r
  store i32 %m, ptr addrspace(1) %po
  ret void
)");
    expectOfEachRank<int32_t>(kernel, in, {slot(37)},
                              [&](int64_t r) { return in[2048 + expression.value(uint32_t(r), 37)]; });
  }
}

} // namespace
} // namespace bsgp::target::test
