// What it costs to start work: a spawn of 1,000 threads that store one value, back to back and after idleness; a loop
// around supersteps without work; an empty region of the pool; an empty std::thread for comparison. Medians.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <thread>
#include <vector>

#include "bsgp/bsgp.h"
#include "plan/plan_abi.h"
#include "runtime/cpu/pool.h"

namespace {

using Clock = std::chrono::steady_clock;

struct Frame {
  int64_t size;
  float* data;
};

// Ordinary scalar code, as a compiler would leave it without vectors.
void storeOne(const bsgp_launch* launch, int64_t first, int64_t end) {
  auto* data = reinterpret_cast<float*>(uintptr_t(launch->params[0]));
  int64_t last = std::min(end * launch->block, launch->size);
  for (int64_t rank = first * launch->block; rank < last; ++rank)
    data[rank] = float(rank);
}

constexpr bsgp_site kSite{"bench", 1, 1, nullptr, 0};
constexpr bsgp_param kParam{BSGP_PARAM_FRAME, offsetof(Frame, data), 8};
constexpr bsgp_kernel kKernel{"store", storeOne, &kParam, 1, 1, 1, 1, 0, 0, nullptr, nullptr};
constexpr bsgp_step kSteps[] = {{BSGP_STEP_SUPERSTEP, 1, 0, 0, &kSite},
                                {BSGP_STEP_ALLOCATE, 0, 4, 0, &kSite},
                                {BSGP_STEP_LAUNCH, 0, 0, 0, &kSite},
                                {BSGP_STEP_FREE, 0, 0, 0, &kSite}};
constexpr bsgp_plan kPlan{
    BSGP_PLAN_VERSION, 32, 256, offsetof(Frame, size), "bench:1", &kSite, &kKernel, nullptr, kSteps, 1, 0, 4, 1, 0};

// Wall time, so that what the sleep costs afterwards counts and the sleep itself does not.
double medianUs(int repeats, std::chrono::microseconds idle, const std::function<void()>& work) {
  std::vector<double> times;
  for (int i = 0; i < repeats; ++i) {
    if (idle.count())
      std::this_thread::sleep_for(idle);
    auto begin = Clock::now();
    work();
    times.push_back(double((Clock::now() - begin).count()) / 1e3);
  }
  std::nth_element(times.begin(), times.begin() + repeats / 2, times.end());
  return times[size_t(repeats) / 2];
}

void row(const char* name, const std::function<void()>& work) {
  using namespace std::chrono_literals;
  work();
  std::printf("%-44s %12.2f %12.2f %12.2f\n", name, medianUs(5000, 0us, work), medianUs(2000, 150us, work),
              medianUs(1000, 1000us, work));
}

struct LoopFrame {
  int64_t size;
  int32_t way, rounds;
};

int32_t more(bsgp_call*, void* frame) {
  auto& loop = *static_cast<LoopFrame*>(frame);
  loop.way = loop.rounds-- > 0 ? 0 : 1;
  return 0;
}

constexpr bsgp_require_fn kMore = more;
constexpr bsgp_step kLoopSteps[] = {{BSGP_STEP_SUPERSTEP, 1, 0, 0, &kSite}, {BSGP_STEP_DECIDE, 0, 0, 0, &kSite},
                                    {BSGP_STEP_BRANCH, 0, 0, 4, &kSite},    {BSGP_STEP_JUMP, 0, 0, 6, &kSite},
                                    {BSGP_STEP_SUPERSTEP, 2, 0, 0, &kSite}, {BSGP_STEP_JUMP, 0, 0, 0, &kSite}};
constexpr bsgp_plan kLoopPlan{BSGP_PLAN_VERSION,
                              32,
                              256,
                              offsetof(LoopFrame, size),
                              "bench:2",
                              &kSite,
                              nullptr,
                              &kMore,
                              kLoopSteps,
                              0,
                              1,
                              6,
                              0,
                              offsetof(LoopFrame, way)};

void rounds(bsgp_context* context, int32_t count) {
  LoopFrame frame{1000, 0, count};
  bsgp_call* call = bsgp_rt_begin(context);
  bsgp_rt_end(call, bsgp_rt_run(call, &kLoopPlan, &frame));
}

void spawn(bsgp_context* context, std::vector<float>& data) {
  Frame frame{int64_t(data.size()), data.data()};
  bsgp_call* call = bsgp_rt_begin(context);
  bsgp_rt_end(call, bsgp_rt_run(call, &kPlan, &frame));
}

} // namespace

int main() {
  bsgp_context* context = bsgp_context_create(nullptr);
  std::printf("%u threads; microseconds, medians\n", bsgp_context_threads(context));
  std::printf("%-44s %12s %12s %12s\n", "", "back to back", "150 us idle", "1 ms idle");
  for (size_t n : {1'000, 10'000, 100'000, 1'000'000}) {
    std::vector<float> data(n);
    char name[64];
    std::snprintf(name, sizeof name, "spawn of %zu threads, one stream", n);
    row(name, [&] { spawn(context, data); });
  }
  row("1000 rounds of a loop: test, branch, jump", [&] { rounds(context, 1000); });
  bsgp_context_destroy(context);
  bsgp::runtime::Pool pool({.always_share = true});
  row("empty region, shared", [&] { pool.forRanges(2, [](int64_t, int64_t) {}); });
  row("empty std::thread", [] { std::thread([] {}).join(); });
}
