// links: runtime
// Plans on a GPU: in which order the driver is asked for what, and what becomes of failures.
#include "cuda_fixture.h"

#include <cstring>
#include <thread>

#include "runtime/cuda/cuda.h"

using namespace bsgp::test;

namespace {

constexpr bsgp_site kOtherSite{"test.bsgp", 22, 1, nullptr};

class CudaRunTest : public CudaTest {
protected:
  CudaRunTest() {
    code.sites = {&kOtherSite, &kAssertSite};
    code.formats = {"none\n", "%d of %d\n"};
    fake->kernel = [this](const FakeLaunch& launch) {
      launches.push_back(launch);
      return behave ? behave(launch) : 0;
    };
  }

  // Stream 0 is written by `write`, and read by `read`, which writes to the frame's data.
  TestPlan streamPlan() {
    TestPlan plan;
    uint32_t write = plan.kernel(nullptr, {streamParam(0)}, 1, "write", code.kernel());
    uint32_t read =
        plan.kernel(nullptr, {streamParam(0), frameParam(offsetof(Frame, data), 8)}, 2, "read", code.kernel());
    plan.step(BSGP_STEP_SUPERSTEP, 1).step(BSGP_STEP_ALLOCATE, 0, 4, &kStreamSite).step(BSGP_STEP_LAUNCH, write);
    plan.step(BSGP_STEP_SUPERSTEP, 2).step(BSGP_STEP_LAUNCH, read).step(BSGP_STEP_FREE, 0);
    return plan;
  }
  TestPlan onePlan(const char* name, bool talks = false, uint32_t shared_bytes = 0) {
    TestPlan plan;
    plan.step(BSGP_STEP_LAUNCH, plan.kernel(nullptr, {}, 3, name, code.kernel(shared_bytes, talks)));
    return plan;
  }

  // Of a kernel without parameters of its own.
  static bsgp_gpu_record* recordOf(const FakeLaunch& launch) {
    return onDevice<bsgp_gpu_record>(launch.parameters.back());
  }
  static int fail(const FakeLaunch& launch) {
    bsgp_gpu_record* record = recordOf(launch);
    if (record->failed == 0)
      record->failed = 1, record->kind = BSGP_FAIL_ASSERT, record->site = 1, record->rank = 17;
    return 0;
  }

  TestCode code{"kernel write 3\nkernel read 4\nkernel one 2\nkernel two 2\n"};
  std::vector<FakeLaunch> launches;
  std::function<int(const FakeLaunch&)> behave;
};

} // namespace

TEST_F(CudaRunTest, GivesAllWorkToTheStreamAndWaitsOnceAtTheEnd) {
  open();
  TestPlan plan = streamPlan();
  Frame frame{1000};
  ASSERT_EQ(run(plan, frame), BSGP_OK) << error();
  fake->calls.clear();
  launches.clear();
  ASSERT_EQ(run(plan, frame), BSGP_OK) << error();
  EXPECT_EQ(fake->calls,
            (std::vector<std::string>{"cuMemAllocFromPoolAsync 4000", "cuLaunchKernel write", "cuLaunchKernel read",
                                      "cuMemFreeAsync", "cuMemcpyDtoHAsync_v2 48", "cuStreamSynchronize"}));
  ASSERT_EQ(launches.size(), 2u);
  EXPECT_EQ(launches[0].blocks, 4u);
  EXPECT_EQ(launches[0].block, 256u);
  EXPECT_EQ(launches[0].parameters[1], 1000u) << "thread.size";
  EXPECT_EQ(launches[0].parameters[0], launches[1].parameters[0]) << "the stream";
}

TEST_F(CudaRunTest, DoesNotAskForFailuresOfCodeWithoutAny) {
  code.sites.clear();
  open();
  TestPlan plan = onePlan("one");
  Frame frame{10};
  ASSERT_EQ(run(plan, frame), BSGP_OK) << error();
  EXPECT_EQ(count("cuMemcpyDtoHAsync_v2"), 0);
  EXPECT_EQ(count("cuStreamSynchronize"), 1);
}

TEST_F(CudaRunTest, WaitsForNothingWhereNothingWasDone) {
  open();
  TestPlan plan = onePlan("one");
  Frame frame{0};
  ASSERT_EQ(run(plan, frame), BSGP_OK);
  EXPECT_EQ(fake->calls.size(), 0u);
}

TEST_F(CudaRunTest, LoadsAModuleOnce) {
  open();
  TestCode same(code.ptx);
  TestPlan plan = onePlan("one"), other = onePlan("two"), copy;
  copy.step(BSGP_STEP_LAUNCH, copy.kernel(nullptr, {}, 1, "two", same.kernel()));
  Frame frame{10};
  for (int i = 0; i < 3; ++i)
    for (TestPlan* each : {&plan, &other, &copy})
      ASSERT_EQ(run(*each, frame), BSGP_OK) << error();
  EXPECT_EQ(count("cuModuleLoadDataEx"), 1);
  EXPECT_EQ(count("cuModuleGetFunction"), 3);
}

TEST_F(CudaRunTest, LooksAgainAtCodeWhenCodeWasUnloaded) {
  open();
  TestPlan plan = onePlan("one");
  Frame frame{10};
  ASSERT_EQ(run(plan, frame), BSGP_OK);
  code.ptx.replace(code.ptx.find("one 2"), 5, "one 1"); // another program at the same place
  bsgp::runtime::codeUnloaded();
  ASSERT_EQ(run(plan, frame), BSGP_OK);
  EXPECT_EQ(count("cuModuleLoadDataEx"), 2);
  EXPECT_EQ(launches.back().parameters.size(), 1u);
  bsgp::runtime::codeUnloaded();
  ASSERT_EQ(run(plan, frame), BSGP_OK);
  EXPECT_EQ(count("cuModuleLoadDataEx"), 2) << "it is the same as before";
}

TEST_F(CudaRunTest, UnloadsModulesOfProgramsThatAreGone) {
  open();
  TestPlan plan = onePlan("one");
  Frame frame{10};
  for (int i = 0; i < 200; ++i) {
    code.ptx.replace(code.ptx.find("two ") + 4, 1, std::string(1, char('0' + i % 10)));
    code.ptx.replace(0, 6, "kern" + std::string(1, char('a' + i / 10)) + "l");
    bsgp::runtime::codeUnloaded();
    ASSERT_EQ(run(plan, frame), BSGP_OK) << error();
    ASSERT_LE(fake->live["module"], 64);
  }
  EXPECT_EQ(count("cuModuleLoadDataEx"), 200);
}

TEST_F(CudaRunTest, ClearsAndPoisons) {
  open(nullptr, 1);
  bool poisoned = false, cleared = false;
  behave = [&](const FakeLaunch& launch) {
    auto* bytes = onDevice<unsigned char>(launch.parameters[0]);
    (launch.name == "write" ? poisoned : cleared) =
        bytes[0] == (launch.name == "write" ? 0xCB : 0) && bytes[39] == bytes[0];
    return 0;
  };
  TestPlan plan;
  uint32_t write = plan.kernel(nullptr, {streamParam(0)}, 1, "write", code.kernel());
  uint32_t read = plan.kernel(nullptr, {streamParam(0), streamParam(0)}, 2, "read", code.kernel());
  plan.step(BSGP_STEP_ALLOCATE, 0, 4)
      .step(BSGP_STEP_LAUNCH, write)
      .step(BSGP_STEP_CLEAR, 0)
      .step(BSGP_STEP_LAUNCH, read);
  Frame frame{10};
  ASSERT_EQ(run(plan, frame), BSGP_OK) << error();
  EXPECT_TRUE(poisoned);
  EXPECT_TRUE(cleared);
}

TEST_F(CudaRunTest, ReportsTheFailureOfAThreadAndGoesOn) {
  open();
  behave = fail;
  TestPlan plan = onePlan("one");
  Frame frame{1000};
  EXPECT_EQ(run(plan, frame), BSGP_FAILED);
  EXPECT_EQ(error(), "test.bsgp:16:9: error: assertion failed at rank 17: i < n");
  behave = [](const FakeLaunch& launch) { return int(recordOf(launch)->failed); };
  EXPECT_EQ(run(plan, frame), BSGP_OK) << error();
}

TEST_F(CudaRunTest, ReportsTheFailureOfAThreadBeforeOneOfTheHost) {
  open();
  behave = fail;
  TestPlan plan = onePlan("one");
  plan.step(BSGP_STEP_REQUIRE,
            plan.require([](bsgp_call* call, void*) { return bsgp_rt_fail(call, BSGP_FAIL_DIVIDE, &kRequireSite); }));
  Frame frame{1000};
  EXPECT_EQ(run(plan, frame), BSGP_FAILED);
  EXPECT_EQ(error(), "test.bsgp:16:9: error: assertion failed at rank 17: i < n");
}

TEST_F(CudaRunTest, LooksForFailuresWhereTheHostReads) {
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

TEST_F(CudaRunTest, ReadsAValueWithOneWait) {
  open();
  void* memory = nullptr;
  ASSERT_EQ(bsgp_alloc(context.get(), 8, &memory), BSGP_OK);
  behave = [&](const FakeLaunch&) {
    *onDevice<int64_t>(uint64_t(uintptr_t(memory))) = 42;
    return 0;
  };
  TestPlan plan = onePlan("one");
  plan.step(BSGP_STEP_REQUIRE, plan.require([](bsgp_call* call, void* frame) {
    auto* own = static_cast<Frame*>(frame);
    int64_t value = 0;
    int32_t status = bsgp_rt_copy(call, &value, BSGP_HOST, own->data, BSGP_DEVICE, 1, 8, &kRequireSite);
    own->number = int32_t(value);
    return status;
  }));
  Frame frame{10, memory};
  fake->calls.clear();
  ASSERT_EQ(run(plan, frame), BSGP_OK) << error();
  EXPECT_EQ(frame.number, 42);
  EXPECT_EQ(count("cuStreamSynchronize"), 1);
  bsgp_free(context.get(), memory);
}

TEST_F(CudaRunTest, ReportsFailuresThatSomebodyElseWaitedFor) {
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

TEST_F(CudaRunTest, ReportsFailuresToTheCallTheyBelongTo) {
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

TEST_F(CudaRunTest, NamesTheLaunchThatTheDriverRefuses) {
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

TEST_F(CudaRunTest, NamesTheLaunchesThatMayHaveLostTheGpu) {
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

TEST_F(CudaRunTest, WaitsForEachLaunchWhereThatIsAskedFor) {
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

TEST_F(CudaRunTest, SaysHowMuchMemoryThereIs) {
  open();
  fake->memory = 1'000'000;
  TestPlan plan = streamPlan();
  Frame frame{1'000'000};
  EXPECT_EQ(run(plan, frame), BSGP_OUT_OF_MEMORY);
  EXPECT_EQ(error(), "test.bsgp:14:7: error: cannot allocate 4000000 bytes for a stream of 1000000 x 4 bytes: "
                     "cuMemAllocFromPoolAsync: CUDA_ERROR_OUT_OF_MEMORY (a text); 1.0 of the GPU's 1.0 MB are free");
  EXPECT_EQ(count("cuMemPoolTrimTo"), 1) << "what lies idle goes first";
}

TEST_F(CudaRunTest, KeepsBlocksWhereTheDriverHasNoPools) {
  fake->pools = false;
  open();
  TestPlan plan = streamPlan();
  Frame frame{1000};
  for (int i = 0; i < 3; ++i)
    ASSERT_EQ(run(plan, frame), BSGP_OK) << error();
  EXPECT_EQ(count("cuMemAlloc_v2"), 2) << "the record and the stream";
  EXPECT_EQ(count("cuMemFree_v2"), 0);
  EXPECT_GE(memoryOf(context.get()).cached_bytes, 4000u);
  fake->memory = 10'000;
  frame.size = 2000;
  EXPECT_EQ(run(plan, frame), BSGP_OK) << "what is kept goes when memory runs out: " << error();
}

TEST_F(CudaRunTest, AsksForMuchSharedMemory) {
  open();
  TestPlan plan = onePlan("one", false, 60'000), small = onePlan("two", false, 48 << 10),
           huge = onePlan("two", false, 70'000);
  Frame frame{10};
  ASSERT_EQ(run(plan, frame), BSGP_OK) << error();
  EXPECT_EQ(count("cuFuncSetAttribute one 8 = 60000"), 1);
  ASSERT_EQ(run(small, frame), BSGP_OK) << error();
  EXPECT_EQ(count("cuFuncSetAttribute"), 1);
  EXPECT_EQ(launches.back().shared_bytes, 48u << 10);
  EXPECT_EQ(run(huge, frame), BSGP_FAILED);
  EXPECT_EQ(error(), "test.bsgp:30:1: error: a block needs 70000 bytes of shared memory, and Fake 0 has 65536");
}

TEST_F(CudaRunTest, RefusesMoreBlocksThanAGpuTakes) {
  open();
  TestPlan plan = onePlan("one");
  plan.rank_bits = 64;
  plan.block = 1;
  Frame frame{int64_t(1) << 31};
  EXPECT_EQ(run(plan, frame), BSGP_FAILED);
  EXPECT_EQ(error(), "test.bsgp:30:1: error: 2147483648 blocks of 1 threads are more than a GPU takes (2147483647)");
}

TEST_F(CudaRunTest, RefusesCodeForNewerGpus) {
  code.sm = 90;
  open();
  TestPlan plan = onePlan("one");
  Frame frame{10};
  EXPECT_EQ(run(plan, frame), BSGP_FAILED);
  EXPECT_EQ(error(), "test.bsgp:30:1: error: the program is compiled for GPUs of compute capability 9.0 or later, and "
                     "Fake 0 has 7.5");
}

TEST_F(CudaRunTest, NamesAKernelThatTheModuleLacks) {
  open();
  TestPlan plan = onePlan("three");
  Frame frame{10};
  EXPECT_EQ(run(plan, frame), BSGP_FAILED);
  EXPECT_EQ(error(), "test.bsgp:30:1: error: cuModuleGetFunction of three: CUDA_ERROR_NOT_FOUND (a text)");
}

TEST_F(CudaRunTest, ShowsTheCompilersLog) {
  code.ptx = "kernel one error";
  open();
  TestPlan plan = onePlan("one");
  Frame frame{10};
  EXPECT_EQ(run(plan, frame), BSGP_FAILED);
  EXPECT_EQ(error(), "test.bsgp:30:1: error: cuLinkAddData of 16 bytes of PTX: CUDA_ERROR_INVALID_PTX (a text)\n"
                     "ptxas application ptx input, line 1; error   : Parsing error near 'error'");
}

TEST_F(CudaRunTest, ReportsEveryCallThatFails) {
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

TEST_F(CudaRunTest, MakesItsContextCurrentInEachThread) {
  open();
  TestPlan plan = onePlan("one");
  std::thread([&] {
    Frame frame{10};
    EXPECT_EQ(run(plan, frame), BSGP_OK) << error();
  }).join();
  EXPECT_EQ(count("cuCtxSetCurrent"), 1);
}

TEST_F(CudaRunTest, FreesWhatALeakyProgramLeft) {
  open();
  void* memory = nullptr;
  ASSERT_EQ(bsgp_alloc(context.get(), 1000, &memory), BSGP_OK);
}
