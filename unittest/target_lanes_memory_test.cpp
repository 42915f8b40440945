// links: target
// The whole-function vectorizer: rows of a matrix, structures at an index of each lane's own, memory of one thread.
#include <algorithm>

#include "target_lanes.h"

namespace bsgp::target::test {
namespace {

// ---- rows

// A row is `divisor` threads; two places in memory between rows are left out.
OneKernel rows(const std::string& sign, const std::string& divisor) {
  return rankKernel(kInOut + ", i32 %n, i32 %pitch", "  %row = " + sign + "div i32 %r, " + divisor +
                                                         "\n  %column = " + sign + "rem i32 %r, " + divisor +
                                                         R"(
  %first = mul nsw i32 %row, %pitch
  %i = add nsw i32 %first, %column
  %pm = getelementptr inbounds i32, ptr addrspace(1) %in, i32 %i
  %m = load i32, ptr addrspace(1) %pm
  %pt = getelementptr inbounds i32, ptr addrspace(1) %in, i32 %column
  %t = load i32, ptr addrspace(1) %pt
  %times = mul i32 %m, 3
  %sum = add i32 %times, %t
  %result = add i32 %sum, %row
  %po = getelementptr inbounds i32, ptr addrspace(1) %out, i32 %r
  store i32 %result, ptr addrspace(1) %po
  ret void
)");
}

void expectRows(const std::string& sign, const std::string& divisor, int n) {
  SCOPED_TRACE(sign + "div by " + divisor + " = " + std::to_string(n));
  int pitch = n + 2;
  std::vector<int32_t> in = manyNumbers((1000 / n + 1) * pitch, 1000000);
  expectOfEachRank<int32_t>(rows(sign, divisor), in, {slot(n), slot(pitch)},
                            [&](int64_t r) { return 3 * in[r / n * pitch + r % n] + in[r % n] + int32_t(r / n); });
}

TEST(LaneRows, AreOfAnyLength) {
  for (int n : {1, 3, 16, 100, 1000})
    for (const char* sign : {"u", "s"})
      expectRows(sign, "%n", n);
}

TEST(LaneRows, AreOfALengthKnownBefore) {
  for (int n : {1, 3, 16, 64, 100, 1000})
    for (const char* sign : {"u", "s"})
      expectRows(sign, std::to_string(n), n);
}

// The block that reads whole vectors.
std::string rowOf(const std::string& ir) {
  size_t at = std::min(ir.find(" = load <16 x i32>"), ir.size());
  return ir.substr(ir.rfind("\n\n", at), ir.find("\n\n", at) - ir.rfind("\n\n", at));
}

TEST(LaneRows, AreReadSideBySide) {
  for (const char* divisor : {"%n", "100"}) {
    std::string ir = lanesOf(rows("u", divisor)), row = rowOf(ir);
    EXPECT_EQ(countOf(row, " = load <16 x i32>"), 2u) << ir;
    EXPECT_FALSE(has(row, "gather")) << ir;
    EXPECT_TRUE(has(ir, "masked.gather")) << ir; // where a row ends
  }
  EXPECT_FALSE(has(lanesOf(rows("u", "64")), "gather")); // no row ends within a vector
}

// ---- structures

// Of structures of `length` elements, at in[r]: the sum of fields, each times its place in the order of loads.
OneKernel fields(const std::string& type, int length, const std::vector<int>& order, bool guarded = false) {
  bool floats = type == "float" || type == "double";
  std::string structure = "[" + std::to_string(length) + " x " + type + "]";
  std::string text = kLoad;
  text += guarded ? "  %odd = trunc i32 %v to i1\n  br i1 %odd, label %then, label %end\nthen:\n" : "";
  std::string sum = floats ? "0.0" : "0", n;
  for (size_t i = 0; i != order.size(); ++i) {
    n = std::to_string(i);
    text += "  %p" + n + " = getelementptr inbounds " + structure + ", ptr addrspace(1) %fields, i32 %v, i32 " +
            std::to_string(order[i]) + "\n  %f" + n + " = load " + type + ", ptr addrspace(1) %p" + n + "\n";
  }
  for (size_t i = 0; i != order.size(); ++i) {
    n = std::to_string(i);
    text += "  %t" + n + " = " + (floats ? "fmul " : "mul ") + type + " %f" + n + ", " + std::to_string(i + 1) +
            (floats ? ".0" : "") + "\n  %s" + n + " = " + (floats ? "fadd " : "add ") + type + " " + sum + ", %t" + n +
            "\n";
    sum = "%s" + n;
  }
  text += "  %po = getelementptr inbounds " + type + ", ptr addrspace(1) %out, i32 %r\n  store " + type + " " + sum +
          ", ptr addrspace(1) %po\n" + (guarded ? "  br label %end\nend:\n" : "") + "  ret void\n";
  return rankKernel(kInOut + ", ptr addrspace(1) %fields", text);
}

template <class T> void expectFields(const std::string& type, int length, const std::vector<int>& order, bool guarded) {
  SCOPED_TRACE(type + " of " + std::to_string(length) + (guarded ? " guarded" : ""));
  std::vector<int32_t> in = manyNumbers(1000, 300);
  std::vector<T> memory(300 * length); // no place to read behind it
  for (size_t i = 0; i != memory.size(); ++i)
    memory[i] = T(i * 7 % 1000);
  for (int32_t& v : in)
    v = guarded && v % 2 == 0 ? -2000000000 : v; // nobody may look there
  expectOfEachRank<T>(fields(type, length, order, guarded), in, {slot(memory.data())}, [&](int64_t r) {
    if (guarded && in[r] % 2 == 0)
      return T(77);
    T sum = 0;
    for (size_t i = 0; i != order.size(); ++i)
      sum += memory[in[r] * length + order[i]] * T(i + 1);
    return sum;
  });
}

struct Structure {
  int length;
  std::vector<int> order;
};

const std::vector<Structure>& structures() {
  static const std::vector<Structure> all{
      {2, {0, 1}},       {2, {1, 0}},    {3, {0, 1, 2}}, {3, {2, 0, 1}},
      {4, {3, 2, 1, 0}}, {5, {4, 1, 2}}, {6, {5, 0}},    {8, {7, 6, 5, 4, 3, 2, 1, 0}},
      {9, {8, 0, 4, 1}}};
  return all;
}

TEST(LaneFields, AreThoseOfEachLane) {
  for (bool guarded : {false, true})
    for (const Structure& structure : structures()) {
      expectFields<float>("float", structure.length, structure.order, guarded);
      expectFields<int64_t>("i64", structure.length, structure.order, guarded);
    }
}

TEST(LaneFields, AreReadARowAtATime) {
  for (bool guarded : {false, true})
    for (const std::vector<int>& order : {std::vector<int>{0, 1, 2, 3}, {3, 0, 2, 1}, {2, 1, 0}}) {
      std::string ir = lanesOf(fields("float", 4, order, guarded));
      EXPECT_TRUE(has(ir, "shufflevector")) << ir;
      EXPECT_FALSE(has(ir, "masked.gather")) << ir;
    }
}

TEST(LaneFields, AreReadInPairs) {
  for (const std::vector<int>& order : {std::vector<int>{0, 1}, {1, 0}}) {
    std::string ir = lanesOf(fields("float", 2, order));
    EXPECT_TRUE(has(ir, "masked.gather.v16i64")) << ir;
    EXPECT_FALSE(has(ir, "masked.gather.v16f32")) << ir;
  }
}

// One place for all lanes is read only if some lane is there.
TEST(LaneFields, AreNotReadForNobody) {
  OneKernel kernel = rankKernel(kInOut + ", ptr addrspace(1) %one, i32 %n", kLoad + R"(
  %po = getelementptr inbounds i32, ptr addrspace(1) %out, i32 %r
  %large = icmp sgt i32 %v, 900
  br i1 %large, label %then, label %end
then:
  %x = load i32, ptr addrspace(1) %one
  %q = udiv i32 %x, %n
  br label %end
end:
  %result = phi i32 [ %v, %entry ], [ %q, %then ]
  store i32 %result, ptr addrspace(1) %po
  ret void
)");
  int32_t one = 4321;
  std::vector<int32_t> small = manyNumbers(1000, 900);
  expectOfEachRank<int32_t>(kernel, small, {slot(nullptr), slot(0)}, [&](int64_t r) { return small[r]; });
  std::vector<int32_t> in = manyNumbers(1000, 1000);
  expectOfEachRank<int32_t>(kernel, in, {slot(&one), slot(10)}, [&](int64_t r) { return in[r] > 900 ? 432 : in[r]; });
}

TEST(LaneFields, AreReadAgainAfterAStore) {
  OneKernel kernel = rankKernel(kInOut + ", ptr addrspace(1) %alias", kLoad + R"(
  %p0 = getelementptr inbounds [2 x i32], ptr addrspace(1) %out, i32 %v, i32 0
  %p1 = getelementptr inbounds [2 x i32], ptr addrspace(1) %out, i32 %v, i32 1
  %q1 = getelementptr inbounds [2 x i32], ptr addrspace(1) %alias, i32 %v, i32 1
  %a = load i32, ptr addrspace(1) %p0
  %more = add i32 %a, %r
  store i32 %more, ptr addrspace(1) %q1
  %b = load i32, ptr addrspace(1) %p1
  %twice = mul i32 %b, 2
  store i32 %twice, ptr addrspace(1) %p0
  ret void
)");
  std::vector<int32_t> in(1000);
  for (int i = 0; i < 1000; ++i)
    in[i] = i * 7 % 1000;
  onEachMachine(kernel, [&](const Compiled& compiled) {
    std::vector<int32_t> out = manyNumbers(2000, 1000), expected = out;
    compiled.run(1000, {slot(in.data()), slot(out.data()), slot(out.data())});
    for (int r = 0; r < 1000; ++r) {
      int32_t* place = &expected[2 * in[r]];
      place[1] = place[0] + r;
      place[0] = 2 * place[1];
    }
    ASSERT_EQ(out, expected);
  });
}

} // namespace
} // namespace bsgp::target::test
