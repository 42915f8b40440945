// links: runtime
// What the threads of a GPU print, and how long they took.
#include "cuda_fixture.h"

#include <cstring>
#include <sstream>

using namespace bsgp::test;

namespace {

class CudaPrintTest : public CudaTest {
protected:
  CudaPrintTest() {
    code.formats = {"none\n", "%d of %d\n"};
    fake->kernel = [this](const FakeLaunch& launch) {
      if (print && launch.name == "talk")
        print(*onDevice<bsgp_gpu_record>(launch.parameters[1]));
      return 0;
    };
  }

  // As compiled code does it.
  static void line(bsgp_gpu_record& record, uint64_t format, std::vector<uint64_t> arguments) {
    uint64_t at = record.printed;
    record.printed += 1 + arguments.size();
    if (record.printed > record.capacity)
      return;
    auto* slots = onDevice<uint64_t>(record.slots);
    slots[at] = format | uint64_t(arguments.size()) << 32;
    std::copy(arguments.begin(), arguments.end(), slots + at + 1);
  }

  TestPlan talkPlan() {
    TestPlan plan;
    plan.step(BSGP_STEP_LAUNCH, plan.kernel(nullptr, {}, 1, "talk", code.kernel(0, true)));
    plan.step(BSGP_STEP_LAUNCH, plan.kernel(nullptr, {}, 2, "rest", code.kernel()));
    return plan;
  }
  std::string printed(TestPlan& plan, int64_t threads) {
    Frame frame{threads};
    testing::internal::CaptureStdout();
    int32_t status = run(plan, frame);
    std::fflush(stdout);
    std::string text = testing::internal::GetCapturedStdout();
    EXPECT_EQ(status, BSGP_OK) << error();
    return text;
  }

  TestCode code{"kernel talk 3\nkernel rest 3\n"};
  std::function<void(bsgp_gpu_record&)> print;
};

} // namespace

TEST_F(CudaPrintTest, PrintsTheLinesOfALaunch) {
  open();
  print = [](bsgp_gpu_record& record) {
    line(record, 1, {uint64_t(-3), 7});
    line(record, 0, {});
    line(record, 1, {5, 6});
  };
  TestPlan plan = talkPlan();
  for (int i = 0; i < 2; ++i)
    EXPECT_EQ(printed(plan, 10), "-3 of 7\nnone\n5 of 6\n");
}

TEST_F(CudaPrintTest, PrintsBeforeTheHostGoesOn) {
  open();
  print = [](bsgp_gpu_record& record) { line(record, 0, {}); };
  TestPlan plan = talkPlan();
  plan.step(BSGP_STEP_REQUIRE, plan.require([](bsgp_call*, void*) {
    bsgp_rt_print("host\n", 0, nullptr);
    return 0;
  }));
  plan.step(BSGP_STEP_LAUNCH, 0);
  EXPECT_EQ(printed(plan, 10), "none\nhost\nnone\n");
}

TEST_F(CudaPrintTest, PrintsWhatAFailingLaunchHadToSay) {
  open();
  code.sites = {&kAssertSite};
  print = [](bsgp_gpu_record& record) {
    line(record, 0, {});
    record.failed = 1, record.kind = BSGP_FAIL_ASSERT, record.rank = 3;
  };
  TestPlan plan = talkPlan();
  Frame frame{10};
  testing::internal::CaptureStdout();
  EXPECT_EQ(run(plan, frame), BSGP_FAILED);
  std::fflush(stdout);
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "none\n");
  EXPECT_EQ(error(), "test.bsgp:16:9: error: assertion failed at rank 3: i < n");
  EXPECT_EQ(count("cuLaunchKernel"), 1);
}

TEST_F(CudaPrintTest, SaysWhatDidNotFit) {
  open();
  TestPlan plan = talkPlan();
  uint64_t capacity = 0;
  print = [&](bsgp_gpu_record& record) {
    capacity = record.capacity;
    for (uint64_t i = 0; i < capacity / 3 + 5; ++i)
      line(record, 1, {i, 2});
  };
  testing::internal::CaptureStderr();
  std::string text = printed(plan, 10);
  std::string said = testing::internal::GetCapturedStderr();
  EXPECT_EQ(uint64_t(std::count(text.begin(), text.end(), '\n')), capacity / 3);
  EXPECT_TRUE(has(said, "bsgp: warning: about 5 lines of a printf on the GPU did not fit in its ")) << said;
  print = [](bsgp_gpu_record& record) { line(record, 0, {}); };
  EXPECT_EQ(printed(plan, 10), "none\n") << "the slots are empty again";
}

TEST_F(CudaPrintTest, HasMoreRoomForMoreThreads) {
  open();
  TestPlan plan = talkPlan();
  uint64_t capacity = 0;
  print = [&](bsgp_gpu_record& record) {
    capacity = record.capacity;
    line(record, 0, {});
  };
  EXPECT_EQ(printed(plan, 10), "none\n");
  uint64_t few = capacity;
  EXPECT_EQ(printed(plan, 100'000), "none\n");
  EXPECT_GE(capacity, 1'600'000u);
  EXPECT_LT(few, capacity);
}

TEST_F(CudaPrintTest, IgnoresWhatIsNoLine) {
  open();
  print = [](bsgp_gpu_record& record) {
    line(record, 0, {});
    line(record, 99, {1, 2});
  };
  TestPlan plan = talkPlan();
  testing::internal::CaptureStderr();
  EXPECT_EQ(printed(plan, 10), "none\n");
  EXPECT_TRUE(has(testing::internal::GetCapturedStderr(), "did not fit"));
}

namespace {

std::string slurp(const std::filesystem::path& path) {
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

} // namespace

TEST_F(CudaPrintTest, ProfilesWithEvents) {
  TempFolder folder;
  std::string trace = folder.path / "trace.json";
  testing::internal::CaptureStderr();
  open(trace.c_str());
  TestPlan plan = talkPlan();
  plan.step(BSGP_STEP_REQUIRE, plan.require([](bsgp_call*, void*) { return 0; }), 0, &kRequireSite);
  Frame frame{1000};
  for (int i = 0; i < 3; ++i)
    ASSERT_EQ(run(plan, frame), BSGP_OK) << error();
  EXPECT_LE(fake->live["event"], 5) << "they are used again";
  context.reset();
  std::string table = testing::internal::GetCapturedStderr();
  EXPECT_TRUE(has(table, "6 launches")) << table;
  EXPECT_TRUE(has(table, "f:10 #1")) << table;
  EXPECT_TRUE(has(table, "test.bsgp:20-25")) << table;
  EXPECT_TRUE(has(table, "f:10 require")) << table;
  // The fake's launch takes 5 ms, and its event afterwards 1.
  EXPECT_TRUE(has(table, "18.000")) << table;
  std::string json = slurp(trace);
  EXPECT_TRUE(has(json, "\"dur\": 6000.000")) << json;
}
