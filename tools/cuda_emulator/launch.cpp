#include "launch.h"

#include <algorithm>
#include <condition_variable>
#include <thread>

#include "block.h"
#include "driver.h"

namespace bsgp::emulator {

namespace {

void work(Launch& launch) {
  try {
    Block block(launch);
    for (uint64_t number; !launch.stop && (number = launch.next++) < launch.end;)
      block.run(number);
  } catch (const Fault& fault) {
    std::lock_guard lock(launch.mutex);
    if (!launch.fault)
      launch.fault = fault;
    launch.stop = true;
  }
}

// Threads that help with launches. They live as long as the process.
class Helpers {
public:
  static Helpers& get() {
    static Helpers* helpers = new Helpers; // never destroyed: its threads may still wait when the process ends
    return *helpers;
  }

  void run(Launch& launch, unsigned wanted) {
    std::unique_lock lock(mutex_);
    launch_ = &launch;
    open_ = std::min(wanted, count_);
    wake_.notify_all();
    lock.unlock();
    work(launch);
    lock.lock();
    open_ = 0;
    done_.wait(lock, [&] { return busy_ == 0; });
    launch_ = nullptr;
  }

private:
  Helpers() : count_(std::max(1u, std::thread::hardware_concurrency()) - 1) {
    for (unsigned i = 0; i < count_; ++i)
      std::thread([this] { loop(); }).detach();
  }

  void loop() {
    std::unique_lock lock(mutex_);
    for (;;) {
      wake_.wait(lock, [&] { return open_ > 0; });
      --open_;
      ++busy_;
      Launch& launch = *launch_;
      lock.unlock();
      work(launch);
      lock.lock();
      if (--busy_ == 0)
        done_.notify_all();
    }
  }

  std::mutex mutex_;
  std::condition_variable wake_, done_;
  Launch* launch_ = nullptr;
  unsigned count_, open_ = 0, busy_ = 0; // open: helpers that the launch still takes
};

} // namespace

void run(Launch& launch) {
  uint64_t blocks = launch.blocks(), first = setting("BSGP_CUDA_EMULATOR_FIRST", 0);
  launch.end = blocks;
  if (first > 0 && first < blocks) { // of a launch that is too long to be run
    launch.next = first;
    launch.end = std::min(blocks, first + setting("BSGP_CUDA_EMULATOR_BLOCKS", 1));
  }
  if (blocks == 1)
    work(launch);
  else
    Helpers::get().run(launch, static_cast<unsigned>(std::min<uint64_t>(blocks - 1, 1024)));
}

} // namespace bsgp::emulator
