// links: runtime
#include <cstring>
#include <thread>

#include <gtest/gtest.h>

#include "plan_fixture.h"

using namespace bsgp::test;

namespace {

class ExecutorTest : public testing::TestWithParam<const char*> {
protected:
  ContextOwner context = makeContext(GetParam());

  // No test leaves device memory behind.
  void TearDown() override {
    EXPECT_EQ(memoryOf(context.get()).live_blocks, 0u);
    EXPECT_EQ(memoryOf(context.get()).live_bytes, 0u);
  }
  std::string error() { return bsgp_error_message(); }
};

// data[rank] = rank + number
void store(const bsgp_launch* launch, int64_t first, int64_t end) {
  auto* data = param<int32_t*>(launch, 0);
  auto number = param<int32_t>(launch, 1);
  forThreads(launch, first, end, [&](int64_t rank) { data[rank] = int32_t(rank) + number; });
}

TestPlan storePlan() {
  TestPlan plan;
  uint32_t kernel = plan.kernel(store, {frameParam(offsetof(Frame, data), 8), frameParam(offsetof(Frame, number), 4)});
  plan.step(BSGP_STEP_SUPERSTEP, 1).step(BSGP_STEP_LAUNCH, kernel);
  return plan;
}

void toStream(const bsgp_launch* launch, int64_t first, int64_t end) {
  auto* stream = param<int64_t*>(launch, 0);
  forThreads(launch, first, end, [&](int64_t rank) { stream[rank] = rank * rank; });
}

// data[rank] = stream[old size - 1 - rank] + thread.size
void fromStream(const bsgp_launch* launch, int64_t first, int64_t end) {
  auto* stream = param<int64_t*>(launch, 0);
  auto* data = param<int32_t*>(launch, 1);
  auto size = param<int64_t>(launch, 2), old_size = param<int64_t>(launch, 3);
  forThreads(launch, first, end, [&](int64_t rank) { data[rank] = int32_t(stream[old_size - 1 - rank] + size); });
}

// Appends its rank, as often as a value has places for it, for each rank that three does not divide.
void appendSome(const bsgp_launch* launch, int64_t first, int64_t end) {
  auto** place = param<int32_t**>(launch, 0);
  auto places = param<int32_t>(launch, 1);
  forThreads(launch, first, end, [&](int64_t rank) {
    for (int32_t i = 0; rank % 3 != 0 && i < places; ++i)
      *(*place)++ = int32_t(rank);
  });
}

void failSome(const bsgp_launch* launch, int64_t first, int64_t end) {
  forThreads(launch, first, end, [&](int64_t rank) {
    if (rank == 17)
      bsgp_rt_device_fail(launch, BSGP_FAIL_ASSERT, rank, &kAssertSite);
  });
}

void neverRuns(const bsgp_launch*, int64_t, int64_t) {
  FAIL() << "launched";
}

int32_t halveSize(bsgp_call*, void* frame) {
  static_cast<Frame*>(frame)->size /= 2;
  return 0;
}
int32_t negateSize(bsgp_call*, void* frame) {
  static_cast<Frame*>(frame)->size = -5;
  return 0;
}
int32_t countRequire(bsgp_call*, void* frame) {
  static_cast<Frame*>(frame)->number += 1;
  return 0;
}
int32_t takeTemp(bsgp_call* call, void* frame) {
  return bsgp_rt_dtempnew(call, 100, 8, 7, &kRequireSite, &static_cast<Frame*>(frame)->data);
}
int32_t takeAndFail(bsgp_call* call, void* frame) {
  takeTemp(call, frame);
  return bsgp_rt_fail(call, BSGP_FAIL_DIVIDE, &kRequireSite);
}

} // namespace

TEST_P(ExecutorTest, LaunchesThreadsOfOddNumbers) {
  for (int64_t n : {1, 2, 255, 256, 257, 1000, 100'003}) {
    std::vector<int32_t> data(size_t(n) + 1, -1);
    Frame frame{n, data.data(), 5};
    TestPlan plan = storePlan();
    ASSERT_EQ(runPlan(context.get(), plan, frame), BSGP_OK);
    for (int64_t i = 0; i < n; ++i)
      ASSERT_EQ(data[size_t(i)], i + 5);
    EXPECT_EQ(data[size_t(n)], -1);
  }
}

TEST_P(ExecutorTest, CarriesValuesInStreamsAndTellsTheOldSize) {
  int64_t n = 5000;
  std::vector<int32_t> data(size_t(n) / 2);
  Frame frame{n, data.data(), 0};
  TestPlan plan;
  uint32_t write = plan.kernel(toStream, {streamParam(0)});
  uint32_t read = plan.kernel(
      fromStream,
      {streamParam(0), frameParam(offsetof(Frame, data), 8), {BSGP_PARAM_SIZE, 0, 8}, {BSGP_PARAM_OLD_SIZE, 0, 8}}, 2);
  uint32_t halve = plan.require(halveSize);
  plan.step(BSGP_STEP_SUPERSTEP, 1).step(BSGP_STEP_ALLOCATE, 0, 8, &kStreamSite).step(BSGP_STEP_LAUNCH, write);
  plan.step(BSGP_STEP_SUPERSTEP, 2).step(BSGP_STEP_REQUIRE, halve, 0, &kRequireSite).step(BSGP_STEP_LAUNCH, read);
  plan.step(BSGP_STEP_FREE, 0);
  ASSERT_EQ(runPlan(context.get(), plan, frame), BSGP_OK) << error();
  for (int64_t i = 0; i < n / 2; ++i)
    ASSERT_EQ(data[size_t(i)], int32_t((n - 1 - i) * (n - 1 - i) + n / 2));
}

TEST_P(ExecutorTest, ClearsAStream) {
  static bool zero;
  zero = false;
  TestPlan plan;
  uint32_t look = plan.kernel(
      [](const bsgp_launch* launch, int64_t, int64_t) {
        auto* bytes = param<const unsigned char*>(launch, 0);
        zero = std::all_of(bytes, bytes + launch->size * 4, [](unsigned char c) { return c == 0; });
      },
      {streamParam(0)});
  plan.step(BSGP_STEP_ALLOCATE, 0, 4).step(BSGP_STEP_CLEAR, 0).step(BSGP_STEP_LAUNCH, look);
  Frame frame{100, nullptr, 0};
  ASSERT_EQ(runPlan(context.get(), plan, frame), BSGP_OK);
  EXPECT_TRUE(zero);
}

TEST_P(ExecutorTest, RunsRequiresButNoLaunchesForZeroThreads) {
  TestPlan plan;
  uint32_t kernel = plan.kernel(neverRuns, {});
  uint32_t count = plan.require(countRequire);
  plan.step(BSGP_STEP_REQUIRE, count).step(BSGP_STEP_ALLOCATE, 0, 4).step(BSGP_STEP_CLEAR, 0);
  plan.step(BSGP_STEP_LAUNCH, kernel).step(BSGP_STEP_REQUIRE, count);
  Frame frame;
  ASSERT_EQ(runPlan(context.get(), plan, frame), BSGP_OK);
  EXPECT_EQ(frame.number, 2);
}

TEST_P(ExecutorTest, RefusesANegativeSize) {
  TestPlan plan = storePlan();
  Frame frame{-3, nullptr, 0};
  EXPECT_EQ(runPlan(context.get(), plan, frame), BSGP_FAILED);
  EXPECT_EQ(error(), "test.bsgp:10:3: error: the number of threads is negative: -3");
}

TEST_P(ExecutorTest, RefusesANegativeSizeAfterARequire) {
  TestPlan plan;
  plan.step(BSGP_STEP_ALLOCATE, 0, 4).step(BSGP_STEP_REQUIRE, plan.require(negateSize), 0, &kRequireSite);
  Frame frame{10, nullptr, 0};
  EXPECT_EQ(runPlan(context.get(), plan, frame), BSGP_FAILED);
  EXPECT_EQ(error(), "test.bsgp:12:5: error: the number of threads is negative: -5");
}

TEST_P(ExecutorTest, RefusesMoreThreadsThanTheRankTypeCounts) {
  TestPlan plan;
  Frame frame{int64_t(1) << 31, nullptr, 0};
  EXPECT_EQ(runPlan(context.get(), plan, frame), BSGP_FAILED);
  EXPECT_NE(error().find("2147483648 threads are more than ranks of type int can number"), std::string::npos);
  plan.rank_bits = 64;
  EXPECT_EQ(runPlan(context.get(), plan, frame), BSGP_OK);
}

TEST_P(ExecutorTest, SaysHowMuchMemoryThereWasNot) {
  TestPlan plan;
  plan.rank_bits = 64;
  plan.step(BSGP_STEP_ALLOCATE, 0, 4).step(BSGP_STEP_ALLOCATE, 1, 1024, &kStreamSite);
  Frame frame{int64_t(1) << 40, nullptr, 0};
  plan = TestPlan();
  plan.rank_bits = 64;
  plan.step(BSGP_STEP_ALLOCATE, 0, 1024, &kStreamSite);
  EXPECT_EQ(runPlan(context.get(), plan, frame), BSGP_OUT_OF_MEMORY);
  EXPECT_EQ(error(),
            "test.bsgp:14:7: error: cannot allocate 1125899906842624 bytes for a stream of 1099511627776 x 1024 bytes");
  frame.size = INT64_MAX;
  EXPECT_EQ(runPlan(context.get(), plan, frame), BSGP_OUT_OF_MEMORY);
  EXPECT_NE(error().find("larger than any memory"), std::string::npos);
}

TEST_P(ExecutorTest, ReportsTheFailureOfALaunchAndStops) {
  TestPlan plan;
  uint32_t fail = plan.kernel(failSome, {}), never = plan.kernel(neverRuns, {});
  plan.step(BSGP_STEP_ALLOCATE, 0, 4).step(BSGP_STEP_LAUNCH, fail).step(BSGP_STEP_LAUNCH, never);
  Frame frame{1000, nullptr, 0};
  EXPECT_EQ(runPlan(context.get(), plan, frame), BSGP_FAILED);
  EXPECT_EQ(error(), "test.bsgp:16:9: error: assertion failed at rank 17: i < n");
}

TEST_P(ExecutorTest, FreesTemporariesOfAScope) {
  static bsgp_context* current;
  static uint64_t live;
  current = context.get();
  TestPlan plan;
  uint32_t take = plan.require(takeTemp);
  uint32_t look = plan.require([](bsgp_call*, void*) {
    live = memoryOf(current).live_blocks;
    return 0;
  });
  plan.step(BSGP_STEP_REQUIRE, take).step(BSGP_STEP_FREE_TEMPS, 8).step(BSGP_STEP_REQUIRE, look);
  Frame frame{10, nullptr, 0};
  ASSERT_EQ(runPlan(context.get(), plan, frame), BSGP_OK);
  EXPECT_EQ(live, 1u);
  plan = TestPlan();
  take = plan.require(takeTemp);
  look = plan.require([](bsgp_call*, void*) {
    live = memoryOf(current).live_blocks;
    return 0;
  });
  plan.step(BSGP_STEP_REQUIRE, take).step(BSGP_STEP_FREE_TEMPS, 7).step(BSGP_STEP_REQUIRE, look);
  ASSERT_EQ(runPlan(context.get(), plan, frame), BSGP_OK);
  EXPECT_EQ(live, 0u);
}

TEST_P(ExecutorTest, FreesEverythingWhenARequireFails) {
  TestPlan plan;
  uint32_t fail = plan.require(takeAndFail);
  plan.step(BSGP_STEP_ALLOCATE, 0, 4).step(BSGP_STEP_ALLOCATE, 30, 4).step(BSGP_STEP_REQUIRE, fail, 0, &kRequireSite);
  Frame frame{1000, nullptr, 0};
  EXPECT_EQ(runPlan(context.get(), plan, frame), BSGP_FAILED);
  EXPECT_EQ(error(), "test.bsgp:12:5: error: integer division by zero\n  help: test the divisor before dividing");
}

TEST_P(ExecutorTest, RunsASpawnInsideARequire) {
  static TestPlan inner;
  inner = TestPlan();
  inner.code = codeFor(GetParam());
  uint32_t kernel = inner.kernel(store, {streamParam(0), frameParam(offsetof(Frame, number), 4)});
  inner.step(BSGP_STEP_ALLOCATE, 0, 4).step(BSGP_STEP_LAUNCH, kernel);
  TestPlan plan;
  uint32_t nest = plan.require([](bsgp_call* call, void* frame) {
    void* temp = nullptr;
    if (int32_t status = bsgp_rt_dtempnew(call, 10, 4, 7, &kRequireSite, &temp))
      return status;
    Frame own{static_cast<Frame*>(frame)->size, nullptr, 1};
    int32_t status = bsgp_rt_run(call, inner.raw(), &own);
    static_cast<Frame*>(frame)->number = 42;
    std::memset(temp, 1, 40); // still ours
    return status;
  });
  plan.step(BSGP_STEP_ALLOCATE, 0, 4).step(BSGP_STEP_REQUIRE, nest);
  Frame frame{1000, nullptr, 0};
  ASSERT_EQ(runPlan(context.get(), plan, frame), BSGP_OK) << error();
  EXPECT_EQ(frame.number, 42);
}

TEST_P(ExecutorTest, RefusesAPlanOfAnotherVersion) {
  TestPlan plan;
  bsgp_plan raw = *plan.raw();
  raw.version = 99;
  Frame frame;
  bsgp_call* call = bsgp_rt_begin(context.get());
  EXPECT_EQ(bsgp_rt_end(call, bsgp_rt_run(call, &raw, &frame)), BSGP_FAILED);
  EXPECT_NE(error().find("compile the program again"), std::string::npos);
}

TEST_P(ExecutorTest, RefusesCodeForAnotherTarget) {
  TestPlan plan = storePlan();
  int32_t data = 7;
  Frame frame{1, &data, 0};
  for (bsgp_code_kind code : {BSGP_CODE_CPU, BSGP_CODE_REFERENCE, BSGP_CODE_GPU}) {
    bool fits = code == codeFor(GetParam());
    EXPECT_EQ(runAs(code, context.get(), plan, frame), fits ? BSGP_OK : BSGP_UNAVAILABLE);
    EXPECT_EQ(data == 7, !fits) << code;
    data = 7;
  }
  EXPECT_NE(error().find("the code is for target cuda, and the context's target is "), std::string::npos) << error();
}

TEST_P(ExecutorTest, RunsFromSeveralThreads) {
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      TestPlan plan = storePlan();
      std::vector<int32_t> data(20'000 + size_t(t));
      for (int i = 0; i < 50; ++i) {
        Frame frame{int64_t(data.size()), data.data(), t + i};
        wrong += runPlan(context.get(), plan, frame) != BSGP_OK;
        for (size_t k = 0; k < data.size(); ++k)
          wrong += data[k] != int32_t(k) + t + i;
      }
    });
  for (auto& thread : threads)
    thread.join();
  EXPECT_EQ(wrong, 0);
}

TEST_P(ExecutorTest, KeepsTheMessageOfEachThread) {
  TestPlan plan = storePlan();
  Frame frame{-3, nullptr, 0};
  runPlan(context.get(), plan, frame);
  std::thread([&] { EXPECT_STREQ(bsgp_error_message(), ""); }).join();
  EXPECT_NE(error(), "");
}

INSTANTIATE_TEST_SUITE_P(Targets, ExecutorTest, testing::Values("cpu", "reference"));

// Code for the reference has no appends.
TEST(Cpu, AppendsInTheOrderOfRanks) {
  ContextOwner context = makeContext("cpu");
  for (int32_t places : {1, 3, 1000})
    for (int64_t n : {1, 255, 257, 5000, 300'007}) {
      if (places == 1000 && n > 5000)
        continue;
      std::vector<int32_t> to(size_t(n * places) + BSGP_APPEND_SLACK);
      bsgp_append append{uint64_t(uintptr_t(to.data())), 0, int64_t(places * sizeof(int32_t))};
      Frame frame{n, &append, places};
      TestPlan plan;
      uint32_t kernel = plan.kernel(
          appendSome, {{BSGP_PARAM_APPEND, offsetof(Frame, data), 8}, frameParam(offsetof(Frame, number), 4)});
      plan.step(BSGP_STEP_LAUNCH, kernel);
      ASSERT_EQ(runPlan(context.get(), plan, frame), BSGP_OK) << bsgp_error_message();
      ASSERT_EQ(append.bytes, (n - (n + 2) / 3) * append.value_bytes);
      for (int64_t i = 0; i < append.bytes / int64_t(sizeof(int32_t)); ++i)
        ASSERT_EQ(to[size_t(i)], i / places / 2 * 3 + 1 + i / places % 2) << i << " of " << n;
    }
}

TEST(Reference, ShufflesBlocksByItsSeed) {
  static std::vector<int64_t> order;
  TestPlan plan;
  uint32_t kernel = plan.kernel(
      [](const bsgp_launch* launch, int64_t first, int64_t end) {
        EXPECT_NE(launch->shuffle, 0u);
        for (int64_t block = first; block < end; ++block)
          order.push_back(block);
      },
      {});
  plan.step(BSGP_STEP_LAUNCH, kernel);
  auto run = [&](uint64_t seed) {
    bsgp_options options = BSGP_OPTIONS_INIT;
    options.target = "reference";
    options.shuffle = seed;
    ContextOwner context(bsgp_context_create(&options));
    Frame frame{100 * 256, nullptr, 0};
    order.clear();
    EXPECT_EQ(runPlan(context.get(), plan, frame), BSGP_OK);
    return order;
  };
  auto one = run(1), two = run(2), again = run(1);
  EXPECT_EQ(one, again);
  EXPECT_NE(one, two);
  std::sort(one.begin(), one.end());
  for (int64_t i = 0; i < 100; ++i)
    EXPECT_EQ(one[size_t(i)], i);
}
