// links: runtime
// What is said where there is no GPU to use, and what a context takes and gives back.
#include "cuda_fixture.h"

#include "runtime/cuda/cuda.h"

// This program has code for GPUs (plan_abi.h).
extern "C" const uint32_t bsgp_program_has_gpu_code;
const uint32_t bsgp_program_has_gpu_code = 1;

using namespace bsgp::test;

namespace {

// The driver is initialized once for each name it is loaded by.
class CudaDriverTest : public CudaTest {
protected:
  std::string another() {
    static int number = 0;
    std::string path = folder.path / ("libcuda" + std::to_string(number++) + ".so");
    std::filesystem::create_symlink(FAKE_CUDA, path);
    return path;
  }
  TempFolder folder;
};

} // namespace

TEST_F(CudaDriverTest, NamesALibraryThatIsNotThere) {
  Environment none("BSGP_CUDA_DRIVER", "/nowhere/libcuda.so");
  std::string said = openFails();
  EXPECT_TRUE(has(said, "CUDA's driver library cannot be loaded: /nowhere/libcuda.so: ")) << said;
  EXPECT_TRUE(has(said, "help: BSGP_CUDA_DRIVER names it")) << said;
  EXPECT_FALSE(bsgp::runtime::usableGpu());
}

TEST_F(CudaDriverTest, NamesAFunctionThatIsNotThere) {
  Environment old("BSGP_CUDA_DRIVER", FAKE_CUDA_OLD);
  std::string said = openFails();
  EXPECT_TRUE(has(said, "which is for CUDA 10.2, has no cuInit")) << said;
  EXPECT_TRUE(has(said, FAKE_CUDA_OLD)) << said;
}

TEST_F(CudaDriverTest, RefusesADriverThatIsTooOld) {
  Environment path("BSGP_CUDA_DRIVER", another());
  fake->version = 11010;
  EXPECT_TRUE(has(openFails(), "the driver of this machine is for CUDA 11.1, and the runtime needs 11.2 or later"));
}

TEST_F(CudaDriverTest, SaysThatThereIsNoGpu) {
  Environment path("BSGP_CUDA_DRIVER", another());
  fake->devices = 0;
  std::string said = openFails();
  EXPECT_TRUE(has(said, "there is no CUDA GPU in this machine")) << said;
  EXPECT_TRUE(has(said, "cuInit: CUDA_ERROR_NO_DEVICE")) << said;
}

TEST_F(CudaDriverTest, IsLoadedAgainAfterAFailure) {
  Environment path("BSGP_CUDA_DRIVER", another());
  fake->devices = 0;
  openFails();
  fake->devices = 1;
  open();
}

TEST_F(CudaDriverTest, TakesTheGpuThatIsAskedFor) {
  fake->devices = 2;
  {
    Environment number("BSGP_CUDA_DEVICE", "1");
    auto gpu = bsgp::runtime::usableGpu();
    ASSERT_TRUE(gpu) << gpu.message();
    EXPECT_EQ(gpu->name, "Fake 1");
    EXPECT_EQ(gpu->capability, 75u);
  }
  Environment number("BSGP_CUDA_DEVICE", "2");
  EXPECT_EQ(openFails(), "BSGP_CUDA_DEVICE is 2; the GPUs of this machine have the numbers 0 to 1");
}

TEST_F(CudaDriverTest, RefusesNumbersThatAreNone) {
  for (const char* name : {"BSGP_CUDA_DEVICE", "BSGP_CACHE_SIZE"}) {
    Environment number(name, "first");
    EXPECT_EQ(openFails(), std::string("the environment variable ") + name + " is 'first', which is not a number");
  }
}

TEST_F(CudaDriverTest, NamesTheCallThatFailed) {
  for (const char* name : {"cuDeviceGetCount", "cuDevicePrimaryCtxRetain", "cuStreamCreate", "cuMemPoolCreate"}) {
    fake = reset();
    fake->failures[name] = {1, 1};
    EXPECT_TRUE(has(openFails(), name)) << error();
    EXPECT_TRUE(has(error(), "CUDA_ERROR_INVALID_VALUE (a text)")) << error();
    for (auto& [what, number] : fake->live)
      EXPECT_EQ(number, 0) << what << " after " << name;
  }
}

TEST_F(CudaDriverTest, IsTheBestTargetThereIs) {
  {
    bsgp_options options = BSGP_OPTIONS_INIT;
    options.target = "auto";
    context = ContextOwner(bsgp_context_create(&options));
    EXPECT_STREQ(bsgp_context_target(context.get()), "cuda");
    EXPECT_EQ(bsgp_context_threads(context.get()), 40u); // 10 multiprocessors, 1024 threads of each, blocks of 256
  }
  Environment none("BSGP_CUDA_DRIVER", "/nowhere/libcuda.so");
  bsgp_options options = BSGP_OPTIONS_INIT;
  options.target = "auto";
  ContextOwner other(bsgp_context_create(&options));
  EXPECT_STREQ(bsgp_context_target(other.get()), "cpu");
}

TEST_F(CudaDriverTest, FallsBackWhereAContextCannotBeMade) {
  fake->failures["cuStreamCreate"] = {1, 1};
  bsgp_options options = BSGP_OPTIONS_INIT;
  options.target = "auto";
  context = ContextOwner(bsgp_context_create(&options));
  EXPECT_STREQ(bsgp_context_target(context.get()), "cpu");
}

TEST_F(CudaDriverTest, RefusesCodeForTheOtherKindOfTarget) {
  open();
  TestPlan cpu;
  cpu.kernel([](const bsgp_launch*, int64_t, int64_t) {}, {});
  cpu.step(BSGP_STEP_LAUNCH, 0);
  Frame frame{10};
  EXPECT_EQ(runAs(BSGP_CODE_CPU, context.get(), cpu, frame), BSGP_UNAVAILABLE);
  EXPECT_TRUE(has(error(), "test.bsgp:10:3: error: the code is for target cpu, and the context's target is cuda"))
      << error();
  TestCode code("kernel k 3");
  TestPlan gpu;
  gpu.kernel(nullptr, {}, 1, "k", code.kernel());
  gpu.step(BSGP_STEP_LAUNCH, 0);
  ContextOwner other = makeContext("cpu");
  EXPECT_EQ(runAs(BSGP_CODE_GPU, other.get(), gpu, frame), BSGP_UNAVAILABLE);
  EXPECT_TRUE(has(error(), "the code is for target cuda, and the context's target is cpu")) << error();
}
