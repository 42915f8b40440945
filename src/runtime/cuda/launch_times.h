// Measures launches by events of the driver before and after each; the profile gets the times when the launches are
// known to have ended.
#pragma once

#include <mutex>
#include <vector>

#include "runtime/cuda/gpu.h"
#include "runtime/profile.h"

namespace bsgp::runtime::cuda {

class LaunchTimes {
public:
  explicit LaunchTimes(Gpu& gpu) : gpu_(gpu) {}
  ~LaunchTimes();
  LaunchTimes(const LaunchTimes&) = delete;
  LaunchTimes& operator=(const LaunchTimes&) = delete;

  Result<CUevent> mark(); // an event, here in the stream
  // Waits when there are many, as of a loop's iterations.
  Result<void> launched(const Work& work, CUevent begin, CUevent end, Profile& profile);
  void giveBack(CUevent event);

  bool waiting() const { return waiting_.load(std::memory_order_acquire); } // for the times of launches
  // Waits, and enters the known times in the profiles. The time of waiting is not the host's.
  Result<void> resolve();

private:
  struct Launch {
    CUevent begin, end;
    Profile* profile;
    const bsgp_plan* plan;
    const bsgp_kernel* kernel;
    int64_t threads;
  };
  static constexpr size_t kMostWaiting = 512;
  void tell(const Launch& launch, CUevent last, Profile::Clock::time_point now);

  Gpu& gpu_;
  std::atomic<bool> waiting_{false};
  std::mutex mutex_; // of all below
  std::vector<Launch> launches_;
  std::vector<CUevent> free_;
};

} // namespace bsgp::runtime::cuda
