#include "runtime/cuda/launch_times.h"

namespace bsgp::runtime::cuda {

LaunchTimes::~LaunchTimes() {
  if (!gpu_.enter())
    return;
  for (const Launch& launch : launches_)
    free_.insert(free_.end(), {launch.begin, launch.end});
  for (CUevent event : free_)
    gpu_.driver().cuEventDestroy(event);
}

Result<CUevent> LaunchTimes::mark() {
  CUevent event = nullptr;
  {
    std::lock_guard lock(mutex_);
    if (!free_.empty()) {
      event = free_.back();
      free_.pop_back();
    }
  }
  if (!event)
    if (CUresult result = gpu_.driver().cuEventCreate(&event, CU_EVENT_DEFAULT))
      return gpu_.failed(result, "cuEventCreate", "");
  if (CUresult result = gpu_.driver().cuEventRecord(event, gpu_.stream())) {
    giveBack(event);
    return gpu_.failed(result, "cuEventRecord", "");
  }
  return event;
}

void LaunchTimes::giveBack(CUevent event) {
  std::lock_guard lock(mutex_);
  free_.push_back(event);
}

Result<void> LaunchTimes::launched(const Work& work, CUevent begin, CUevent end, Profile& profile) {
  {
    std::lock_guard lock(mutex_);
    launches_.push_back({begin, end, &profile, &work.plan, &work.kernel, work.launch.size});
    waiting_.store(true, std::memory_order_release);
    if (launches_.size() < kMostWaiting)
      return {};
  }
  return resolve();
}

// The end of launches that other threads make meanwhile is not known: they wait for the next time.
Result<void> LaunchTimes::resolve() {
  std::vector<Launch> ended;
  {
    std::lock_guard lock(mutex_);
    ended.swap(launches_);
    waiting_.store(false, std::memory_order_release);
  }
  auto begin = Profile::Clock::now();
  auto last = mark();
  if (!last)
    return last.error();
  auto done = gpu_.synchronize();
  auto now = Profile::Clock::now();
  Profile::accountElsewhere(now - begin);
  if (done)
    for (const Launch& launch : ended)
      tell(launch, *last, now);
  std::lock_guard lock(mutex_);
  free_.push_back(*last);
  for (const Launch& launch : ended)
    free_.insert(free_.end(), {launch.begin, launch.end});
  return done;
}

// Times are counted back from the last event, which the host has just seen.
void LaunchTimes::tell(const Launch& launch, CUevent last, Profile::Clock::time_point now) {
  float took = 0, ago = 0; // ms
  const Driver& driver = gpu_.driver();
  if (driver.cuEventElapsedTime(&took, launch.begin, launch.end) != CUDA_SUCCESS ||
      driver.cuEventElapsedTime(&ago, launch.begin, last) != CUDA_SUCCESS)
    return;
  launch.profile->launchedAt(*launch.plan, *launch.kernel, launch.threads,
                             now - std::chrono::nanoseconds(int64_t(double(ago) * 1e6)), int64_t(double(took) * 1e6));
}

} // namespace bsgp::runtime::cuda
