// Plans for a GPU, whose kernels do what a test says.
#pragma once

#include <functional>
#include <vector>

#include "cuda_fixture.h"

namespace bsgp::test {

inline constexpr bsgp_site kOtherSite{"test.bsgp", 22, 1, nullptr, 0};

class CudaPlanTest : public CudaTest {
protected:
  CudaPlanTest() {
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
  TestPlan onePlan(const char* name, bool talks = false, uint32_t shared_bytes = 0, uint32_t tile = 1) {
    TestPlan plan;
    plan.step(BSGP_STEP_LAUNCH, plan.kernel(nullptr, {}, 3, name, code.kernel(shared_bytes, talks, tile)));
    return plan;
  }

  // Of a kernel without parameters of its own.
  static bsgp_gpu_record* recordOf(const FakeLaunch& launch) {
    return onDevice<bsgp_gpu_record>(launch.parameters[1]); // behind thread.size
  }
  static int fail(const FakeLaunch& launch) {
    bsgp_gpu_record* record = recordOf(launch);
    if (record->failed == 0)
      record->failed = 1, record->kind = BSGP_FAIL_ASSERT, record->site = 1, record->rank = 17;
    return 0;
  }

  TestCode code{"kernel write 4\nkernel read 5\nkernel one 3\nkernel two 3\n"};
  std::vector<FakeLaunch> launches;
  std::function<int(const FakeLaunch&)> behave;
};

} // namespace bsgp::test
