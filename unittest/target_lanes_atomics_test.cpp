// links: target
// The whole-function vectorizer: atomic operations of lanes, and what the machine is spared of them.
#include <algorithm>

#include "target_lanes.h"

namespace bsgp::target::test {
namespace {

const std::string kParams = kInOut + ", ptr addrspace(1) %shared";

// Lanes with a value of no more than 900 run `body`, which knows %po, a place for a result.
OneKernel mostOf(const std::string& body) {
  return kernelWhere("icmp sle i32 %v, 900", body);
}

struct Operation {
  const char* name;
  int32_t start;
  int32_t (*apply)(int32_t, int32_t);
};

const Operation kOperations[] = {
    {"add", 5, [](int32_t a, int32_t b) { return int32_t(uint32_t(a) + uint32_t(b)); }},
    {"sub", 5, [](int32_t a, int32_t b) { return int32_t(uint32_t(a) - uint32_t(b)); }},
    {"min", 800, [](int32_t a, int32_t b) { return std::min(a, b); }},
    {"max", 100, [](int32_t a, int32_t b) { return std::max(a, b); }},
    {"umin", -1, [](int32_t a, int32_t b) { return int32_t(std::min(uint32_t(a), uint32_t(b))); }},
    {"umax", 0, [](int32_t a, int32_t b) { return int32_t(std::max(uint32_t(a), uint32_t(b))); }},
    {"and", 1022, [](int32_t a, int32_t b) { return a & b; }},
    {"or", 64, [](int32_t a, int32_t b) { return a | b; }},
    {"xor", 7, [](int32_t a, int32_t b) { return a ^ b; }},
};

// One thread of the machine: in order.
void expectInOrder(const OneKernel& kernel, const Operation& operation, int places) {
  std::vector<int32_t> in = manyNumbers(1000, 1000);
  onEachMachine(kernel, [&](const Compiled& compiled) {
    for (int64_t size : kLaneSizes) {
      std::vector<int32_t> out(size, -1), held(places, operation.start), expected = held;
      compiled.run(size, {slot(in.data()), slot(out.data()), slot(held.data())});
      for (int64_t r = 0; r < size; ++r) {
        int32_t& place = expected[in[r] % places];
        ASSERT_EQ(out[r], in[r] <= 900 ? place : -1) << operation.name << " " << r << " of " << size;
        if (in[r] <= 900)
          place = operation.apply(place, in[r]);
      }
      ASSERT_EQ(held, expected);
    }
  });
}

TEST(AtomicLanes, OperateOnOnePlaceAtOnceAndFindWhatThoseBeforeLeft) {
  for (const Operation& operation : kOperations) {
    OneKernel kernel = mostOf("  %old = atomicrmw " + std::string(operation.name) +
                              " ptr addrspace(1) %shared, i32 %v monotonic\n  store i32 %old, ptr addrspace(1) %po");
    expectInOrder(kernel, operation, 1);
    std::string ir = lanesOf(kernel);
    EXPECT_FALSE(has(ir, "@llvm.cttz.i16")) << ir;
  }
}

TEST(AtomicLanes, OperateOnPlacesOfTheirOwnOneAfterTheOther) {
  for (const Operation& operation : kOperations) {
    OneKernel kernel = mostOf(R"(
  %at = urem i32 %v, 7
  %pp = getelementptr inbounds i32, ptr addrspace(1) %shared, i32 %at
  %old = atomicrmw )" + std::string(operation.name) +
                              " ptr addrspace(1) %pp, i32 %v monotonic\n  store i32 %old, ptr addrspace(1) %po");
    expectInOrder(kernel, operation, 7);
    std::string ir = lanesOf(kernel);
    EXPECT_TRUE(has(ir, "@llvm.cttz.i16")) << ir;
    EXPECT_TRUE(has(ir, "@llvm.prefetch")) << ir; // before the first locks its place
  }
}

// A minimum that is reached, a bit that is set, a place that is taken: there is nothing to lock.
TEST(AtomicLanes, LockOnlyWhatTheyWouldChange) {
  std::string body = R"(
  %at = urem i32 %v, 7
  %pp = getelementptr inbounds i32, ptr addrspace(1) %shared, i32 %at
  %old = )";
  for (const Operation& operation : kOperations) {
    std::string name = operation.name, ir;
    bool may_rest = name != "add" && name != "sub" && name != "xor";
    OneKernel kernel = mostOf(body + "atomicrmw " + name + " ptr addrspace(1) %pp, i32 %v monotonic");
    for (unsigned width : {1u, 16u})
      EXPECT_EQ(has(lanesOf(kernel, width), "load atomic i32, ptr addrspace(1)"), may_rest) << name << width;
  }
  OneKernel exchange = mostOf(body + "cmpxchg ptr addrspace(1) %pp, i32 0, i32 %v monotonic monotonic");
  for (unsigned width : {1u, 16u})
    EXPECT_TRUE(has(lanesOf(exchange, width), "load atomic i32, ptr addrspace(1)")) << width;
  std::string ordered = body + "atomicrmw min ptr addrspace(1) %pp, i32 %v seq_cst"; // what a load alone would not be
  EXPECT_FALSE(has(lanesOf(mostOf(ordered)), "load atomic")) << ordered;
}

TEST(AtomicLanes, CompareAndExchangeAtPlacesOfTheirOwn) {
  OneKernel kernel = mostOf(R"(
  %at = urem i32 %v, 300
  %pp = getelementptr inbounds i32, ptr addrspace(1) %shared, i32 %at
  %both = cmpxchg ptr addrspace(1) %pp, i32 -1, i32 %r monotonic monotonic
)" + kStoreExchanged);
  std::vector<int32_t> in = manyNumbers(1000, 1000);
  onEachMachine(kernel, [&](const Compiled& compiled) {
    std::vector<int32_t> out(1000, -1), held(300, -1), expected = held;
    compiled.run(1000, {slot(in.data()), slot(out.data()), slot(held.data())});
    for (int r = 0; r < 1000; ++r) {
      int32_t& place = expected[in[r] % 300];
      ASSERT_EQ(out[r], in[r] > 900 ? -1 : place == -1 ? 999999 : place) << r;
      if (in[r] <= 900 && place == -1)
        place = r;
    }
    ASSERT_EQ(held, expected);
  });
}

TEST(AtomicLanes, LoadAndStoreWithoutAskingWhoRuns) {
  OneKernel kernel = mostOf(R"(
  %at = urem i32 %v, 300
  %pp = getelementptr inbounds i32, ptr addrspace(1) %shared, i32 %at
  %old = load atomic i32, ptr addrspace(1) %pp acquire, align 4
  %first = load atomic i32, ptr addrspace(1) %shared acquire, align 4
  %sum = add i32 %old, %first
  store atomic i32 %sum, ptr addrspace(1) %po release, align 4)");
  std::vector<int32_t> in = manyNumbers(1000, 1000), held = manyNumbers(300, 5000);
  onEachMachine(kernel, [&](const Compiled& compiled) {
    for (int64_t size : kLaneSizes) {
      std::vector<int32_t> out(size + 16, -1);
      compiled.run(size, {slot(in.data()), slot(out.data()), slot(held.data())});
      for (int64_t r = 0; r < size + 16; ++r)
        ASSERT_EQ(out[r], r < size && in[r] <= 900 ? held[in[r] % 300] + held[0] : -1) << r << " of " << size;
    }
  });
  std::string ir = lanesOf(kernel);
  EXPECT_FALSE(has(ir, "lanes.done")) << ir; // behind a loop over lanes
  EXPECT_TRUE(has(ir, "acquire") && has(ir, "release")) << ir;
}

TEST(AtomicLanes, FenceOnce) {
  std::string ir = lanesOf(mostOf(R"(
  store i32 %v, ptr addrspace(1) %po
  fence seq_cst
  store atomic i32 %v, ptr addrspace(1) %shared release, align 4)"));
  EXPECT_TRUE(has(ir, "fence seq_cst")) << ir;
  EXPECT_FALSE(has(ir, "@llvm.cttz.i16")) << ir;
}

// Nothing but an atomic load: the vector would only be taken apart. Of what the machine locks all lanes' places come
// from memory side by side.
TEST(AtomicLanes, StandAloneWhereVectorsWouldOnlyBeTakenApart) {
  std::string place = kLoad + R"(
  %pp = getelementptr inbounds i32, ptr addrspace(1) %shared, i32 %v
)";
  std::string load = place + "  %result = load atomic i32, ptr addrspace(1) %pp acquire, align 4" + kStore;
  std::string add = place + "  %old = atomicrmw add ptr addrspace(1) %pp, i32 1 monotonic\n  ret void\n";
  EXPECT_FALSE(has(lanesOf(rankKernel(kParams, load), 0), "<16 x "));
  EXPECT_TRUE(has(lanesOf(rankKernel(kParams, load), 16), "<16 x "));
  EXPECT_TRUE(has(lanesOf(rankKernel(kParams, add), 0), "<16 x "));
}

} // namespace
} // namespace bsgp::target::test
