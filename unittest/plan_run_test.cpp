// links: plan runtime
// Plans written by hand, as text, and what the executor makes of them.
#include "plan_from_text.h"

using namespace bsgp::test;

namespace {

class PlanRunTest : public testing::TestWithParam<const char*> {
protected:
  ContextOwner context = makeContext(GetParam());

  void TearDown() override { EXPECT_EQ(memoryOf(context.get()).live_blocks, 0u); }
  int32_t run(const std::string& text, const Functions& functions, Frame& frame) {
    TextPlan plan(text, functions);
    return runPlan(context.get(), plan, frame);
  }
};

// Half of the ranks leave; each of the others gets the value of one of a pair, and the host counts them.
const char* kPairs = R"(spawn pairs:3 (pairs.bsgp:3:1), rank i32, block 64, thread.size at 0, symbol plan.pairs.0
host frame
  data    8 bytes at 8
  number  4 bytes at 16
superstep 1 (pairs.bsgp:4:3), lines 4-6
  allocate  stream 0  8 bytes/thread
  launch    take(data, number, stream 0)  0 bytes/thread loaded, 8 stored
superstep 2 (pairs.bsgp:7:3), lines 7-8, ranks reassigned
  require   0 halve  pairs.bsgp:7:12
  allocate  stream 1  4 bytes/thread
  clear     stream 1
  launch    pair(stream 0, stream 1, thread.size, old thread.size)  16 bytes/thread loaded, 4 stored
  free      stream 0
superstep 3 (pairs.bsgp:9:3), line 9
  require   1 count  pairs.bsgp:9:3
  launch    give(data, stream 1)  4 bytes/thread loaded, 0 stored
  free      stream 1
)";

void take(const bsgp_launch* launch, int64_t first, int64_t end) {
  auto* data = param<int32_t*>(launch, 0);
  auto number = param<int32_t>(launch, 1);
  auto* stream = param<int64_t*>(launch, 2);
  forThreads(launch, first, end, [&](int64_t rank) { stream[rank] = data[rank] + number; });
}

void pair(const bsgp_launch* launch, int64_t first, int64_t end) {
  auto* from = param<const int64_t*>(launch, 0);
  auto* to = param<int32_t*>(launch, 1);
  EXPECT_EQ(launch->size, param<int64_t>(launch, 2));
  EXPECT_EQ(launch->size, param<int64_t>(launch, 3) / 2);
  EXPECT_EQ(launch->block, 64);
  forThreads(launch, first, end, [&](int64_t rank) { to[rank] += int32_t(from[2 * rank + 1]); });
}

void give(const bsgp_launch* launch, int64_t first, int64_t end) {
  auto* data = param<int32_t*>(launch, 0);
  auto* stream = param<const int32_t*>(launch, 1);
  forThreads(launch, first, end, [&](int64_t rank) { data[rank] = stream[rank]; });
}

int32_t halve(bsgp_call*, void* frame) {
  static_cast<Frame*>(frame)->size /= 2;
  return 0;
}
int32_t count(bsgp_call*, void* frame) {
  auto* all = static_cast<Frame*>(frame);
  all->number = int32_t(all->size);
  return 0;
}
int32_t negate(bsgp_call*, void* frame) {
  static_cast<Frame*>(frame)->size = -1;
  return 0;
}

const Functions kFunctions{{{"take", take}, {"pair", pair}, {"give", give}}, {{"halve", halve}, {"count", count}}};

} // namespace

TEST_P(PlanRunTest, RunsItsSteps) {
  for (int32_t n : {0, 2, 126, 128, 130, 10'000}) {
    std::vector<int32_t> data(size_t(n) + 1, 7);
    for (int32_t i = 0; i < n; ++i)
      data[size_t(i)] = 3 * i;
    Frame frame{n, data.data(), 100};
    ASSERT_EQ(run(kPairs, kFunctions, frame), BSGP_OK) << bsgp_error_message();
    for (int32_t i = 0; i < n / 2; ++i)
      ASSERT_EQ(data[size_t(i)], 3 * (2 * i + 1) + 100);
    EXPECT_EQ(frame.number, n / 2);
    EXPECT_EQ(data[size_t(n)], 7);
  }
}

TEST_P(PlanRunTest, TellsThePlaceOfAStep) {
  Functions functions = kFunctions;
  functions.requires_["halve"] = negate;
  std::vector<int32_t> data(100);
  Frame frame{100, data.data(), 1};
  EXPECT_EQ(run(kPairs, functions, frame), BSGP_FAILED);
  EXPECT_STREQ(bsgp_error_message(), "pairs.bsgp:7:12: error: the number of threads is negative: -1");
}

TEST_P(PlanRunTest, TellsThePlaceOfASuperstepWhereAStepHasNone) {
  std::string text = R"(spawn f:3 (f.bsgp:3:1), rank i64, thread.size at 0
superstep 1 (f.bsgp:4:3), line 4
  allocate  stream 0  4096 bytes/thread
  free      stream 0
)";
  Frame frame{int64_t(1) << 40, nullptr, 0};
  EXPECT_EQ(run(text, {}, frame), BSGP_OUT_OF_MEMORY);
  EXPECT_EQ(std::string(bsgp_error_message()).substr(0, 34), "f.bsgp:4:3: error: cannot allocate");
}

INSTANTIATE_TEST_SUITE_P(Targets, PlanRunTest, testing::Values("cpu", "reference"));
