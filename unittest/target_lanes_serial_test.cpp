// links: target
// The whole-function vectorizer: what is done one lane after the other, and for whom.
#include <algorithm>
#include <bit>
#include <set>

#include "target_lanes.h"

namespace bsgp::target::test {
namespace {

// Lanes with an odd value run `body`.
OneKernel oddOnly(const std::string& body, const std::string& globals = "") {
  return kernelWhere("trunc i32 %v to i1", body, globals);
}

TEST(SerialLanes, AddToOnePlaceAtOnceAndFindWhatThoseBeforeAdded) {
  OneKernel kernel = oddOnly(R"(
  %old = atomicrmw add ptr addrspace(1) %shared, i32 1 monotonic
  store i32 %old, ptr addrspace(1) %po)");
  std::vector<int32_t> in = manyNumbers(1000, 1000);
  onEachMachine(kernel, [&](const Compiled& compiled) {
    for (int64_t size : kLaneSizes) {
      std::vector<int32_t> out(size, -1);
      int32_t sum = 0, expected = 0;
      compiled.run(size, {slot(in.data()), slot(out.data()), slot(&sum)});
      for (int64_t r = 0; r < size; ++r)
        ASSERT_EQ(out[r], in[r] % 2 ? expected++ : -1) << r << " of " << size; // in order: one thread of the machine
      ASSERT_EQ(sum, expected);
    }
  });
  std::string ir = lanesOf(kernel);
  EXPECT_FALSE(has(ir, "@llvm.cttz.i16")) << ir;
  EXPECT_TRUE(has(ir, "atomicrmw add")) << ir;
  EXPECT_TRUE(has(ir, "@llvm.masked.store.v16i32")) << ir;
}

// Several places, several lanes at each; a float, too: its sum depends on the order.
TEST(SerialLanes, AddToPlacesOfTheirOwn) {
  for (const char* type : {"i32", "float"}) {
    OneKernel kernel = oddOnly(R"(
  %place = lshr i32 %v, 6
  %pp = getelementptr inbounds i32, ptr addrspace(1) %shared, i32 %place
  %w = )" + std::string(type == std::string("i32") ? "add i32 %v, 0" : "sitofp i32 %v to float") +
                               R"(
  %old = atomicrmw )" + (type == std::string("i32") ? "add" : "fadd") +
                               " ptr addrspace(1) %pp, " + type + " %w monotonic");
    std::vector<int32_t> in = manyNumbers(1000, 1024);
    onEachMachine(kernel, [&](const Compiled& compiled) {
      std::vector<int32_t> sums(16), expected(16);
      compiled.run(1000, {slot(in.data()), slot(nullptr), slot(sums.data())});
      for (int32_t v : in)
        expected[v / 64] += v % 2 ? v : 0;
      for (int32_t& sum : sums)
        sum = type == std::string("i32") ? sum : int32_t(std::bit_cast<float>(sum));
      ASSERT_EQ(sums, expected);
    });
  }
}

TEST(SerialLanes, ExchangeAndCompareForThemselves) {
  OneKernel kernel = oddOnly(R"(
  %both = cmpxchg ptr addrspace(1) %shared, i32 %r, i32 -5 monotonic monotonic
)" + kStoreExchanged);
  std::vector<int32_t> in(1000);
  for (int i = 0; i < 1000; ++i)
    in[i] = i % 3 == 0;
  onEachMachine(kernel, [&](const Compiled& compiled) {
    std::vector<int32_t> out(1000, -1);
    int32_t one = 501;
    compiled.run(1000, {slot(in.data()), slot(out.data()), slot(&one)});
    ASSERT_EQ(one, -5);
    for (int r = 0; r < 1000; ++r)
      ASSERT_EQ(out[r], r % 3 ? -1 : r < 501 ? 501 : r == 501 ? 1000501 : -5) << r;
  });
}

TEST(SerialLanes, PrintOnlyWhatTheyAreAskedTo) {
  OneKernel kernel =
      oddOnly(R"(
  %wide = zext i32 %r to i64
  call void (ptr, ...) @bsgp.print(ptr @format, i64 %wide))",
              "@format = private constant [4 x i8] c\"%d\\0A\\00\"\ndeclare void @bsgp.print(ptr, ...)\n");
  std::vector<int32_t> in(1000, 2);
  in[3] = in[17] = in[18] = in[999] = 1;
  onEachMachine(kernel, [&](const Compiled& compiled) {
    printed().clear();
    compiled.run(1000, {slot(in.data()), slot(nullptr), slot(nullptr)});
    std::vector<uint64_t> ranks;
    for (const Printed& line : printed())
      ranks.push_back(line.arguments.at(0));
    ASSERT_EQ(ranks, (std::vector<uint64_t>{3, 17, 18, 999}));
  });
}

const char* kAssert = R"(@file = private constant [2 x i8] c"f\00"
@site = private constant { ptr, i32, i32, ptr } { ptr @file, i32 12, i32 3, ptr null }
declare void @bsgp.assert(i1, ptr)
)";

TEST(SerialLanes, FailAlone) {
  OneKernel kernel = oddOnly(R"(
  %ok = icmp slt i32 %v, 100
  call void @bsgp.assert(i1 %ok, ptr @site)
  store i32 %v, ptr addrspace(1) %po)",
                             kAssert);
  std::vector<int32_t> in = manyNumbers(1000, 100);
  in[500] = 200; // even: not asked
  for (int failing : {0, 15, 16, 437, 999}) {
    std::vector<int32_t> some = in;
    some[failing] = 201;
    onEachMachine(kernel, [&](const Compiled& compiled) {
      std::vector<int32_t> out(1000, -1);
      Failures failures = compiled.run(1000, {slot(some.data()), slot(out.data()), slot(nullptr)});
      ASSERT_EQ(failures.all.size(), 1u);
      ASSERT_EQ(failures.all[0].rank, failing);
      ASSERT_EQ(failures.all[0].kind, uint32_t(BSGP_FAIL_ASSERT));
      ASSERT_EQ(failures.all[0].site->line, 12u);
      for (int r = 0; r < 1000; ++r)
        ASSERT_EQ(out[r], r != failing && some[r] % 2 ? some[r] : -1) << r;
    });
  }
}

// In a loop that lanes leave at different times: a lane that fails is gone, the others go on.
TEST(SerialLanes, FailInAnyTurnOfALoop) {
  OneKernel kernel = rankKernel(kInOut + ", i32 %limit", kLoad + R"(
  br label %head
head:
  %k = phi i32 [ 0, %entry ], [ %k1, %head ]
  %ok = icmp slt i32 %k, %limit
  call void @bsgp.assert(i1 %ok, ptr @site)
  %k1 = add i32 %k, 1
  %more = icmp slt i32 %k1, %v
  br i1 %more, label %head, label %done
done:
  %po = getelementptr inbounds i32, ptr addrspace(1) %out, i32 %r
  store i32 %k1, ptr addrspace(1) %po
  ret void
)",
                                kAssert);
  std::vector<int32_t> in = manyNumbers(1000, 20);
  in[5] = 40, in[200] = 41, in[201] = 50;
  onEachMachine(kernel, [&](const Compiled& compiled) {
    std::vector<int32_t> out(1000, -1);
    Failures failures = compiled.run(1000, {slot(in.data()), slot(out.data()), slot(30)});
    std::set<int64_t> ranks;
    for (const Failures::One& failure : failures.all)
      ranks.insert(failure.rank);
    ASSERT_EQ(ranks, (std::set<int64_t>{5, 200, 201}));
    for (int r = 0; r < 1000; ++r)
      ASSERT_EQ(out[r], in[r] > 30 ? -1 : std::max(in[r], 1)) << r;
  });
}

// A call that vectors have: no loop over lanes.
TEST(SerialLanes, AreNoneWhereTheMachineHasVectors) {
  std::string ir = lanesOf(oddOnly(R"(
  %f = sitofp i32 %v to float
  %root = call float @llvm.sqrt.f32(float %f)
  %result = fptosi float %root to i32
  store i32 %result, ptr addrspace(1) %po)",
                                   "declare float @llvm.sqrt.f32(float)\n"));
  EXPECT_TRUE(has(ir, "@llvm.sqrt.v16f32")) << ir;
  EXPECT_FALSE(has(ir, "cttz")) << ir;
}

} // namespace
} // namespace bsgp::target::test
