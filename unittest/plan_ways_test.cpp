// links: plan runtime
// Plans with loops and branches, as text, and what the executor makes of them.
#include "plan_from_text.h"

#include <fstream>
#include <set>
#include <sstream>

using namespace bsgp::test;

namespace {

struct LoopFrame {
  Frame frame;
  int32_t way = 0;    // at 24
  int32_t rounds = 0; // to come
};
static_assert(offsetof(LoopFrame, way) == 24);

LoopFrame& loop(void* frame) {
  return *static_cast<LoopFrame*>(frame);
}

class PlanWaysTest : public testing::TestWithParam<const char*> {
protected:
  ContextOwner context = makeContext(GetParam());

  // However a run ends, all is given back, and once.
  void TearDown() override {
    EXPECT_EQ(memoryOf(context.get()).live_blocks, 0u);
    EXPECT_EQ(memoryOf(context.get()).live_bytes, 0u);
  }
  int32_t run(const std::string& text, const Functions& functions, LoopFrame& frame) {
    TextPlan plan(text, functions);
    return runPlan(context.get(), plan, frame.frame);
  }
};

const std::string kHead =
    R"(spawn turn:3 (turn.bsgp:3:1), rank i32, block 64, thread.size at 0, decision at 24, symbol p
host frame
  data  8 bytes at 8
)";

// As long as there are rounds to come, each value goes to the thread before.
const std::string kTurn = kHead + R"(superstep 1 (turn.bsgp:4:3), line 4
  allocate  stream 0  4 bytes/thread
  launch    take(data, stream 0)
L1:
superstep 2 (turn.bsgp:5:3), line 5, then 3 or 4
  decide  0 more  turn.bsgp:5:10
  branch  0 to L2
  jump    to L3
L2:
superstep 3 (turn.bsgp:6:3), line 6, then 2
  allocate  stream 1  4 bytes/thread
  launch    turn(stream 0, stream 1, thread.size)
  free      stream 0
  move      stream 1 to stream 0  4 bytes/thread
  free      stream 1
  jump      to L1
L3:
superstep 4 (turn.bsgp:7:3), line 7
  launch  give(data, stream 0)
  free    stream 0
)";

// The same with two streams that change places.
const std::string kSwap = kHead + R"(superstep 1 (turn.bsgp:4:3), line 4
  allocate  stream 0  4 bytes/thread
  allocate  stream 1  4 bytes/thread
  launch    take(data, stream 0)
L1:
superstep 2 (turn.bsgp:5:3), line 5, then 3 or 4
  decide  0 more  turn.bsgp:5:10
  branch  0 to L2
  free    stream 1
  jump    to L3
L2:
superstep 3 (turn.bsgp:6:3), line 6, then 2
  launch  turn(stream 0, stream 1, thread.size)
  swap    streams 0 and 1  4 bytes/thread
  jump    to L1
L3:
superstep 4 (turn.bsgp:7:3), line 7
  launch  give(data, stream 0)
  free    stream 0
)";

// Halves the threads as long as there are rounds to come, with a branch at the end of the loop.
const std::string kHalve = kHead + R"(superstep 1 (turn.bsgp:4:3), line 4
  allocate  stream 0  4 bytes/thread
  launch    take(data, stream 0)
  jump      to L1
L1:
superstep 2 (turn.bsgp:5:3), line 5, ranks reassigned, then 3
  require   1 halve  turn.bsgp:5:10
  allocate  stream 1  4 bytes/thread
  launch    half(stream 0, stream 1, thread.size, old thread.size)
  free      stream 0
superstep 3 (turn.bsgp:6:3), line 6, then 2 or 4
  decide  0 more  turn.bsgp:6:10
  branch  0 to L2
  move    stream 1 to stream 0  4 bytes/thread
  free    stream 1
  jump    to L3
L2:
  move    stream 1 to stream 0  4 bytes/thread
  free    stream 1
  jump    to L1
L3:
superstep 4 (turn.bsgp:7:3), line 7
  launch  give(data, stream 0)
  free    stream 0
)";

// Which of three kernels runs, the host says.
const std::string kSwitch = kHead + R"(superstep 1 (turn.bsgp:4:3), line 4, then 2 or 3 or 4
  allocate  stream 0  4 bytes/thread
  launch    take(data, stream 0)
  decide    0 which  turn.bsgp:4:10
  branch    0 to L1
  branch    1 to L2
  jump      to L3
L1:
superstep 2 (turn.bsgp:5:3), line 5, then the end
  launch  add1(data, stream 0)
  free    stream 0
  jump    to L4
L2:
superstep 3 (turn.bsgp:6:3), line 6, then the end
  launch  add2(data, stream 0)
  free    stream 0
  jump    to L4
L3:
superstep 4 (turn.bsgp:7:3), line 7
  launch  add3(data, stream 0)
  free    stream 0
L4:
)";

// Streams 1 and 2 have the memory of stream 0 when the second superstep fails or ends.
const std::string kShared = kHead + R"(superstep 1 (turn.bsgp:4:3), line 4
  allocate  stream 0  4 bytes/thread
  launch    take(data, stream 0)
  move      stream 0 to stream 1  4 bytes/thread
  move      stream 0 to stream 2  4 bytes/thread
superstep 2 (turn.bsgp:5:3), line 5
  require   0 look1  turn.bsgp:5:10
  launch    give(data, stream 2)
  free      stream 0
  free      stream 2
superstep 3 (turn.bsgp:6:3), line 6
  require   1 look2  turn.bsgp:6:10
  launch    addOne(data, stream 1)
  free      stream 1
superstep 4 (turn.bsgp:7:3), line 7
  require   2 look3  turn.bsgp:7:10
)";

// data, stream
void take(const bsgp_launch* launch, int64_t first, int64_t end) {
  auto* data = param<const int32_t*>(launch, 0);
  auto* stream = param<int32_t*>(launch, 1);
  forThreads(launch, first, end, [&](int64_t rank) { stream[rank] = data[rank]; });
}

template <int N> void add(const bsgp_launch* launch, int64_t first, int64_t end) {
  auto* data = param<int32_t*>(launch, 0);
  auto* stream = param<const int32_t*>(launch, 1);
  forThreads(launch, first, end, [&](int64_t rank) { data[rank] = stream[rank] + N; });
}

void turn(const bsgp_launch* launch, int64_t first, int64_t end) {
  auto* from = param<const int32_t*>(launch, 0);
  auto* to = param<int32_t*>(launch, 1);
  auto size = param<int64_t>(launch, 2);
  forThreads(launch, first, end, [&](int64_t rank) { to[rank] = from[(rank + 1) % size]; });
}

void failInTurn(const bsgp_launch* launch, int64_t first, int64_t end) {
  turn(launch, first, end);
  forThreads(launch, first, end, [&](int64_t rank) {
    if (param<const int32_t*>(launch, 0)[rank] == 0 && rank == 5)
      bsgp_rt_device_fail(launch, BSGP_FAIL_ASSERT, rank, &kAssertSite);
  });
}

void half(const bsgp_launch* launch, int64_t first, int64_t end) {
  auto* from = param<const int32_t*>(launch, 0);
  auto* to = param<int32_t*>(launch, 1);
  EXPECT_EQ(param<int64_t>(launch, 2), param<int64_t>(launch, 3) / 2);
  forThreads(launch, first, end, [&](int64_t rank) { to[rank] = from[2 * rank] + from[2 * rank + 1]; });
}

int32_t more(bsgp_call*, void* frame) {
  loop(frame).way = loop(frame).rounds-- > 0 ? 0 : 1;
  return 0;
}
int32_t which(bsgp_call*, void* frame) {
  loop(frame).way = loop(frame).rounds;
  return 0;
}
int32_t halve(bsgp_call*, void* frame) {
  loop(frame).frame.size /= 2;
  return 0;
}
int32_t failInTest(bsgp_call* call, void* frame) {
  more(call, frame);
  return loop(frame).rounds == 3 ? bsgp_rt_fail(call, BSGP_FAIL_DIVIDE, &kRequireSite) : 0;
}

const Functions kFunctions{{{"take", take},
                            {"give", add<0>},
                            {"turn", turn},
                            {"half", half},
                            {"add1", add<1>},
                            {"add2", add<2>},
                            {"add3", add<3>}},
                           {{"more", more}, {"which", which}, {"halve", halve}}};

std::vector<int32_t> counted(size_t n) {
  std::vector<int32_t> data(n);
  for (size_t i = 0; i < n; ++i)
    data[i] = int32_t(i);
  return data;
}

} // namespace

TEST_P(PlanWaysTest, RunsALoopUntilItsTestEndsIt) {
  for (const std::string& text : {kTurn, kSwap})
    for (int32_t rounds : {0, 1, 2, 7, 100}) {
      std::vector<int32_t> data = counted(1000);
      LoopFrame frame{{1000, data.data(), 0}, 0, rounds};
      ASSERT_EQ(run(text, kFunctions, frame), BSGP_OK) << bsgp_error_message();
      for (int32_t i = 0; i < 1000; ++i)
        ASSERT_EQ(data[size_t(i)], (i + rounds) % 1000) << rounds << " rounds";
    }
}

TEST_P(PlanWaysTest, ReassignsRanksInALoop) {
  for (int32_t rounds : {0, 1, 5}) {
    std::vector<int32_t> data(1024, 1);
    LoopFrame frame{{1024, data.data(), 0}, 0, rounds};
    ASSERT_EQ(run(kHalve, kFunctions, frame), BSGP_OK) << bsgp_error_message();
    EXPECT_EQ(frame.frame.size, 512 >> rounds);
    for (int64_t i = 0; i < 1024; ++i)
      ASSERT_EQ(data[size_t(i)], i < frame.frame.size ? 2 << rounds : 1) << rounds << " rounds";
  }
}

TEST_P(PlanWaysTest, GoesOneOfSeveralWays) {
  for (int32_t way : {0, 1, 2}) {
    std::vector<int32_t> data = counted(300);
    LoopFrame frame{{300, data.data(), 0}, 0, way};
    ASSERT_EQ(run(kSwitch, kFunctions, frame), BSGP_OK) << bsgp_error_message();
    for (int32_t i = 0; i < 300; ++i)
      ASSERT_EQ(data[size_t(i)], i + way + 1);
  }
}

TEST_P(PlanWaysTest, GivesSharedMemoryBackWithItsLastName) {
  static bsgp_context* current;
  static std::vector<uint64_t> live;
  current = context.get();
  live.clear();
  Functions functions = kFunctions;
  functions.kernels["addOne"] = add<1>;
  for (const char* name : {"look1", "look2", "look3"})
    functions.requires_[name] = [](bsgp_call*, void*) {
      live.push_back(memoryOf(current).live_blocks);
      return 0;
    };
  std::vector<int32_t> data = counted(100);
  LoopFrame frame{{100, data.data(), 0}};
  ASSERT_EQ(run(kShared, functions, frame), BSGP_OK) << bsgp_error_message();
  EXPECT_EQ(live, (std::vector<uint64_t>{1, 1, 0}));
  for (int32_t i = 0; i < 100; ++i)
    ASSERT_EQ(data[size_t(i)], i + 1);
}

TEST_P(PlanWaysTest, GivesSharedMemoryBackOnceWhenARequireFails) {
  Functions functions = kFunctions;
  functions.kernels["addOne"] = add<1>;
  functions.requires_["look1"] = functions.requires_["look3"] = more;
  functions.requires_["look2"] = [](bsgp_call* call, void*) {
    return bsgp_rt_fail(call, BSGP_FAIL_DIVIDE, &kRequireSite);
  };
  for (const char* name : {"look2", "look1"}) {
    std::swap(functions.requires_["look2"], functions.requires_[name]);
    std::vector<int32_t> data = counted(100);
    LoopFrame frame{{100, data.data(), 0}};
    EXPECT_EQ(run(kShared, functions, frame), BSGP_FAILED);
  }
}

TEST_P(PlanWaysTest, EndsWhereATestFails) {
  Functions functions = kFunctions;
  functions.requires_["more"] = failInTest;
  std::vector<int32_t> data = counted(100);
  LoopFrame frame{{100, data.data(), 0}, 0, 10};
  EXPECT_EQ(run(kTurn, functions, frame), BSGP_FAILED);
  EXPECT_EQ(frame.rounds, 3);
  EXPECT_EQ(std::string(bsgp_error_message()).substr(0, 49), "test.bsgp:12:5: error: integer division by zero\n ");
}

TEST_P(PlanWaysTest, EndsWhereAThreadFailsInARound) {
  Functions functions = kFunctions;
  functions.kernels["turn"] = failInTurn;
  std::vector<int32_t> data = counted(100);
  LoopFrame frame{{100, data.data(), 0}, 0, 1000};
  EXPECT_EQ(run(kSwap, functions, frame), BSGP_FAILED);
  EXPECT_EQ(frame.rounds, 1000 - 96); // 0 comes to rank 5
  EXPECT_STREQ(bsgp_error_message(), "test.bsgp:16:9: error: assertion failed at rank 5: i < n");
}

// A steady round takes nothing from the system.
TEST_P(PlanWaysTest, RoundsTakeTheMemoryOfThoseBefore) {
  static std::set<const void*> seen;
  seen.clear();
  Functions functions = kFunctions;
  functions.kernels["turn"] = [](const bsgp_launch* launch, int64_t first, int64_t end) {
    if (first == 0)
      seen.insert(param<const void*>(launch, 1));
    turn(launch, first, end);
  };
  std::vector<int32_t> data = counted(100'000);
  LoopFrame frame{{100'000, data.data(), 0}, 0, 50};
  ASSERT_EQ(run(kTurn, functions, frame), BSGP_OK);
  EXPECT_EQ(seen.size(), 2u);
}

INSTANTIATE_TEST_SUITE_P(Targets, PlanWaysTest, testing::Values("cpu", "reference"));

TEST(PlanWaysProfile, CountsTests) {
  std::string path = testing::TempDir() + "bsgp_ways_trace.json";
  testing::internal::CaptureStderr();
  {
    bsgp_options options = BSGP_OPTIONS_INIT;
    options.profile = path.c_str();
    ContextOwner context(bsgp_context_create(&options));
    TextPlan plan(kTurn, kFunctions);
    std::vector<int32_t> data = counted(100);
    LoopFrame frame{{100, data.data(), 0}, 0, 20};
    ASSERT_EQ(runPlan(context.get(), plan, frame.frame), BSGP_OK);
  }
  std::istringstream table(testing::internal::GetCapturedStderr());
  std::string line, test, round;
  while (std::getline(table, line))
    if (line.find("turn:3 test") != std::string::npos)
      test = line;
    else if (line.find("turn:3 #3") != std::string::npos)
      round = line;
  double ms = 0, share = 0;
  int calls = 0;
  ASSERT_EQ(std::sscanf(test.c_str(), "%lf %lf %d", &ms, &share, &calls), 3) << table.str();
  EXPECT_EQ(calls, 21);
  EXPECT_NE(test.find("turn.bsgp:5"), std::string::npos) << test;
  ASSERT_EQ(std::sscanf(round.c_str(), "%lf %lf %d", &ms, &share, &calls), 3) << table.str();
  EXPECT_EQ(calls, 20);
  std::stringstream trace;
  trace << std::ifstream(path).rdbuf();
  EXPECT_NE(trace.str().find("\"name\": \"turn:3 test\", \"cat\": \"test\""), std::string::npos);
  std::remove(path.c_str());
}
