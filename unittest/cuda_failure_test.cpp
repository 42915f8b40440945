// links: runtime
// What becomes of failures: of threads, of calls of the driver, of the GPU.
#include "cuda_plans.h"

#include <thread>

using namespace bsgp::test;

namespace {

class CudaFailureTest : public CudaPlanTest {
protected:
  TempFolder folder;

  // What is said of the plan of this kernel, which fails.
  std::string failureOf(const char* kernel) {
    open();
    TestPlan plan = onePlan(kernel);
    Frame frame{10};
    EXPECT_EQ(run(plan, frame), BSGP_FAILED);
    return error();
  }
};

} // namespace

TEST_F(CudaFailureTest, ReportsTheFailureOfAThreadAndGoesOn) {
  open();
  behave = fail;
  TestPlan plan = onePlan("one");
  Frame frame{1000};
  EXPECT_EQ(run(plan, frame), BSGP_FAILED);
  EXPECT_EQ(error(), "test.bsgp:16:9: error: assertion failed at rank 17: i < n");
  behave = [](const FakeLaunch& launch) { return int(recordOf(launch)->failed); };
  EXPECT_EQ(run(plan, frame), BSGP_OK) << error();
}

TEST_F(CudaFailureTest, ReportsTheFailureOfAThreadBeforeOneOfTheHost) {
  open();
  behave = fail;
  TestPlan plan = onePlan("one");
  plan.step(BSGP_STEP_REQUIRE,
            plan.require([](bsgp_call* call, void*) { return bsgp_rt_fail(call, BSGP_FAIL_DIVIDE, &kRequireSite); }));
  Frame frame{1000};
  EXPECT_EQ(run(plan, frame), BSGP_FAILED);
  EXPECT_EQ(error(), "test.bsgp:16:9: error: assertion failed at rank 17: i < n");
}

namespace {

// A kernel, and a test that takes way 0, back to it, 1000 times.
int rounds_made = 0, drained_after = 0;
bsgp_context* in_context = nullptr;

TestPlan endlessPlan(const bsgp_gpu_kernel* kernel) {
  TestPlan plan;
  plan.decision_offset = offsetof(Frame, number);
  uint32_t test = plan.require([](bsgp_call*, void* frame) {
    static_cast<Frame*>(frame)->number = ++rounds_made < 1000 ? 0 : 1;
    void* memory = nullptr;
    char bytes[4] = {};
    if (rounds_made != drained_after)
      return 0;
    bsgp_alloc(in_context, 4, &memory); // the GPU comes as far as that
    bsgp_copy_to_device(in_context, memory, bytes, 4);
    bsgp_free(in_context, memory);
    return 0;
  });
  plan.step(BSGP_STEP_SUPERSTEP, 1).step(BSGP_STEP_LAUNCH, plan.kernel(nullptr, {}, 3, "one", kernel));
  plan.step(BSGP_STEP_DECIDE, test).step(BSGP_STEP_BRANCH, 0, 0, nullptr, 0);
  return plan;
}

} // namespace

TEST_F(CudaFailureTest, EndsALoopWhoseKernelHasFailed) {
  open();
  behave = fail;
  rounds_made = 0, drained_after = 200, in_context = context.get();
  TestPlan plan = endlessPlan(code.kernel());
  Frame frame{1000};
  EXPECT_EQ(run(plan, frame), BSGP_FAILED);
  EXPECT_EQ(error(), "test.bsgp:16:9: error: assertion failed at rank 17: i < n");
  EXPECT_EQ(rounds_made, 256); // the fourth look
  behave = nullptr;
  rounds_made = drained_after = 0;
  EXPECT_EQ(run(plan, frame), BSGP_OK) << error();
  EXPECT_EQ(rounds_made, 1000);
}

TEST_F(CudaFailureTest, DoesNotWaitForTheRoundsOfALoop) {
  open();
  rounds_made = drained_after = 0;
  TestPlan plan = endlessPlan(code.kernel());
  Frame frame{1000};
  fake->calls.clear();
  EXPECT_EQ(run(plan, frame), BSGP_OK) << error();
  EXPECT_EQ(count("cuMemcpyDtoHAsync_v2"), 1000 / 64 + 1); // and one at the end
  EXPECT_EQ(count("cuStreamSynchronize"), 1);
}

TEST_F(CudaFailureTest, TimesTheRoundsOfALoopWithFewEvents) {
  std::string trace = folder.path / "trace.json";
  open(trace.c_str());
  rounds_made = drained_after = 0;
  TestPlan plan = endlessPlan(code.kernel());
  Frame frame{1000};
  EXPECT_EQ(run(plan, frame), BSGP_OK) << error();
  EXPECT_LE(fake->live["event"], 2 * 512 + 1);
  testing::internal::CaptureStderr();
  context.reset();
  EXPECT_TRUE(has(testing::internal::GetCapturedStderr(), ", 1000 launches;"));
}

TEST_F(CudaFailureTest, LooksForFailuresWhereTheHostReads) {
  open();
  behave = fail;
  static bool went_on;
  went_on = false;
  void* memory = nullptr;
  ASSERT_EQ(bsgp_alloc(context.get(), 8, &memory), BSGP_OK);
  TestPlan plan = onePlan("one");
  plan.step(BSGP_STEP_REQUIRE, plan.require([](bsgp_call* call, void* frame) {
    int64_t value = 0;
    int32_t status =
        bsgp_rt_copy(call, &value, BSGP_HOST, static_cast<Frame*>(frame)->data, BSGP_DEVICE, 1, 8, &kRequireSite);
    went_on = status == 0;
    return status;
  }));
  Frame frame{1000, memory};
  fake->calls.clear();
  EXPECT_EQ(run(plan, frame), BSGP_FAILED);
  EXPECT_FALSE(went_on);
  EXPECT_EQ(error(), "test.bsgp:16:9: error: assertion failed at rank 17: i < n");
  bsgp_free(context.get(), memory);
}

TEST_F(CudaFailureTest, ReportsFailuresThatSomebodyElseWaitedFor) {
  open();
  behave = fail;
  static bsgp_context* current;
  current = context.get();
  TestPlan plan = onePlan("one");
  plan.step(BSGP_STEP_REQUIRE, plan.require([](bsgp_call*, void*) {
    void* memory = nullptr;
    char bytes[4] = {};
    bsgp_alloc(current, 4, &memory);
    bsgp_copy_to_device(current, memory, bytes, 4);
    bsgp_free(current, memory);
    return 0;
  }));
  Frame frame{10};
  EXPECT_EQ(run(plan, frame), BSGP_FAILED);
}

TEST_F(CudaFailureTest, ReportsFailuresToTheCallTheyBelongTo) {
  open();
  behave = [](const FakeLaunch& launch) { return launch.name == "two" ? fail(launch) : 0; };
  TestPlan plans[] = {onePlan("one"), onePlan("two"), onePlan("one"), onePlan("two")};
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      Frame frame{100};
      for (int i = 0; i < 20; ++i)
        if (run(plans[t], frame) != (t % 2 ? BSGP_FAILED : BSGP_OK) && wrong++ == 0)
          ADD_FAILURE() << t << ": " << error();
    });
  for (auto& thread : threads)
    thread.join();
  EXPECT_EQ(wrong, 0);
}

TEST_F(CudaFailureTest, NamesTheLaunchThatTheDriverRefuses) {
  open();
  fake->failures["cuLaunchKernel"] = {2, 701};
  TestPlan plan = streamPlan();
  Frame frame{1000};
  EXPECT_EQ(run(plan, frame), BSGP_FAILED);
  EXPECT_EQ(error(),
            "test.bsgp:20:1: error: cuLaunchKernel of read, superstep 2 of f:10, with 4 blocks of 256 threads: "
            "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES (a text)");
  EXPECT_EQ(memoryOf(context.get()).live_blocks, 0u);
  EXPECT_EQ(run(plan, frame), BSGP_OK) << error();
}

TEST_F(CudaFailureTest, NamesTheLaunchesThatMayHaveLostTheGpu) {
  open();
  TestPlan before = onePlan("one"), plan = streamPlan();
  Frame frame{1000};
  ASSERT_EQ(run(before, frame), BSGP_OK);
  behave = [](const FakeLaunch& launch) { return launch.name == "write" ? 700 : 0; };
  EXPECT_EQ(run(plan, frame), BSGP_FAILED);
  EXPECT_EQ(error(),
            "error: cuStreamSynchronize: CUDA_ERROR_ILLEGAL_ADDRESS (an illegal memory access was encountered), "
            "by one of\n"
            "    test.bsgp:10-15: superstep 1 of f:10 (kernel write)\n"
            "    test.bsgp:20-25: superstep 2 of f:10 (kernel read)\n"
            "  help: with CUDA_LAUNCH_BLOCKING=1 in the environment each is waited for, and the error names it");
  EXPECT_EQ(run(before, frame), BSGP_FAILED);
  EXPECT_EQ(error(), "test.bsgp:30:1: error: the GPU is lost since an earlier error: cuStreamSynchronize: "
                     "CUDA_ERROR_ILLEGAL_ADDRESS (an illegal memory access was encountered)\n"
                     "  help: start the program again");
  void* memory = nullptr;
  EXPECT_EQ(bsgp_alloc(context.get(), 8, &memory), BSGP_FAILED);
  EXPECT_TRUE(has(error(), "the GPU is lost"));
  context.reset();
  fake->live.clear(); // the driver takes them back when the process ends
}

TEST_F(CudaFailureTest, WaitsForEachLaunchWhereThatIsAskedFor) {
  Environment blocking("CUDA_LAUNCH_BLOCKING", "1");
  open();
  behave = [](const FakeLaunch& launch) { return launch.name == "write" ? 700 : 0; };
  TestPlan plan = streamPlan();
  Frame frame{1000};
  EXPECT_EQ(run(plan, frame), BSGP_FAILED);
  EXPECT_EQ(error(), "test.bsgp:10:1: error: cuStreamSynchronize: CUDA_ERROR_ILLEGAL_ADDRESS (an illegal memory access "
                     "was encountered), by\n    test.bsgp:10-15: superstep 1 of f:10 (kernel write)");
  context.reset();
  fake->live.clear();
}

TEST_F(CudaFailureTest, RefusesCodeForNewerGpus) {
  code.sm = 90;
  EXPECT_EQ(failureOf("one"),
            "test.bsgp:30:1: error: the program is compiled for GPUs of compute capability 9.0 or later, and "
            "Fake 0 has 7.5");
}

TEST_F(CudaFailureTest, NamesAKernelThatTheModuleLacks) {
  EXPECT_EQ(failureOf("three"), "test.bsgp:30:1: error: cuModuleGetFunction of three: CUDA_ERROR_NOT_FOUND (a text)");
}

TEST_F(CudaFailureTest, ShowsTheCompilersLog) {
  code.ptx = "kernel one error";
  EXPECT_EQ(failureOf("one"),
            "test.bsgp:30:1: error: cuLinkAddData of 16 bytes of PTX: CUDA_ERROR_INVALID_PTX (a text)\n"
            "ptxas application ptx input, line 1; error   : Parsing error near 'error'");
}

TEST_F(CudaFailureTest, ReportsEveryCallThatFails) {
  Frame frame{1000};
  for (const char* name :
       {"cuMemAllocFromPoolAsync", "cuLinkCreate_v2", "cuLinkComplete", "cuModuleLoadDataEx", "cuModuleGetFunction",
        "cuLaunchKernel", "cuMemcpyDtoHAsync_v2", "cuStreamSynchronize", "cuMemHostAlloc", "cuMemsetD8Async"}) {
    context.reset();
    fake = reset();
    open();
    fake->failures[name] = {fake->counts[name] + 1, 1};
    TestPlan plan = streamPlan();
    EXPECT_NE(run(plan, frame), BSGP_OK) << name;
    std::string call = std::string(name).substr(0, std::string(name).find("_v2"));
    EXPECT_TRUE(has(error(), call)) << error();
    EXPECT_TRUE(has(error(), "CUDA_ERROR_INVALID_VALUE")) << error();
    EXPECT_EQ(run(plan, frame), BSGP_OK) << "after " << name << ": " << error();
  }
}
