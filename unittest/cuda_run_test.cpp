// links: runtime
// Plans on a GPU: in which order the driver is asked for what.
#include "cuda_plans.h"

#include <cstring>
#include <thread>

#include "runtime/cuda/cuda.h"

using namespace bsgp::test;

namespace {

using CudaRunTest = CudaPlanTest;

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

TEST_F(CudaRunTest, IsNotTheBestTargetOfAProgramWithoutCodeForIt) {
  bsgp_options options = BSGP_OPTIONS_INIT;
  options.target = "auto";
  context = ContextOwner(bsgp_context_create(&options));
  EXPECT_STREQ(bsgp_context_target(context.get()), "cpu");
  EXPECT_EQ(fake->calls.size(), 0u);
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
  code.ptx.replace(code.ptx.find("one 3"), 5, "one 1"); // another program at the same place
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

TEST_F(CudaRunTest, LaunchesTilesOfBlocksWhereThereAreManyAndTheRestAlone) {
  open();
  TestPlan plan = onePlan("one", false, 0, 8), without = onePlan("two", false, 0, 1);
  auto launched = [&](TestPlan& which, int64_t size) {
    Frame frame{size};
    EXPECT_EQ(run(which, frame), BSGP_OK) << error();
    return std::pair(launches.back().blocks, launches.back().parameters[2]);
  };
  const int64_t enough = 10 * 4 * 8 * 256; // four tiles for each of ten multiprocessors
  EXPECT_EQ(launched(plan, enough), std::pair(40u, uint64_t(40)));
  EXPECT_EQ(launched(plan, enough - 1), std::pair(320u, uint64_t(0)));
  EXPECT_EQ(launched(plan, enough + 7 * 256), std::pair(47u, uint64_t(40))) << "seven blocks are left";
  EXPECT_EQ(launched(plan, enough + 8 * 256 - 1), std::pair(48u, uint64_t(40)))
      << "a block that is not full is in no tile";
  EXPECT_EQ(launched(without, enough), std::pair(320u, uint64_t(0)));
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

TEST_F(CudaRunTest, KeepsCallsOfSeveralThreadsApart) {
  open();
  behave = [](const FakeLaunch& launch) { // data[rank] += 1
    auto* data = onDevice<int32_t>(launch.parameters[1]);
    for (uint64_t i = 0; i < launch.parameters[2]; ++i)
      data[i] += 1;
    return 0;
  };
  const bsgp_gpu_kernel* gpu = code.kernel();
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      TestPlan plan;
      uint32_t read = plan.kernel(nullptr, {streamParam(0), frameParam(offsetof(Frame, data), 8)}, 1, "read", gpu);
      plan.step(BSGP_STEP_ALLOCATE, 0, 4).step(BSGP_STEP_LAUNCH, read).step(BSGP_STEP_FREE, 0);
      std::vector<int32_t> values(size_t(1000 + 300'000 * t), t), back(values.size());
      uint64_t bytes = values.size() * 4;
      for (int i = 0; i < 10; ++i) {
        Frame frame{int64_t(values.size())};
        wrong += bsgp_alloc(context.get(), bytes, &frame.data) != BSGP_OK;
        wrong += bsgp_copy_to_device(context.get(), frame.data, values.data(), bytes) != BSGP_OK;
        wrong += run(plan, frame) != BSGP_OK;
        wrong += bsgp_copy_to_host(context.get(), back.data(), frame.data, bytes) != BSGP_OK;
        wrong += back != std::vector<int32_t>(values.size(), t + 1);
        wrong += bsgp_free(context.get(), frame.data) != BSGP_OK;
      }
    });
  for (auto& thread : threads)
    thread.join();
  EXPECT_EQ(wrong, 0);
}
