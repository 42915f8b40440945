// The GPU of a context, and what every part of its device needs of it: the driver, the stream, words for errors, and
// which launches may be to blame for one.
#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <string>

#include "runtime/cuda/driver.h"
#include "runtime/device.h"

namespace bsgp::runtime::cuda {

class Gpu {
public:
  // $BSGP_CUDA_DEVICE, else the first one.
  static Result<std::unique_ptr<Gpu>> open();
  static Result<std::unique_ptr<Gpu>> find(); // the same without context and stream: only to ask what it is
  ~Gpu();
  Gpu(const Gpu&) = delete;
  Gpu& operator=(const Gpu&) = delete;

  const Driver& driver() const { return driver_; }
  CUdevice device() const { return device_; }
  CUstream stream() const { return stream_; }
  const std::string& name() const { return name_; }
  unsigned capability() const { return capability_; } // 75 for 7.5
  int processors() const { return processors_; }
  int attribute(CUattribute attribute) const; // 0 where the driver does not know it

  // Before any other call of the driver: makes the context current in this thread. An error where the GPU is lost.
  Result<void> enter();

  // After a call of the driver: an error with the call's name, the object of it and the driver's words.
  Result<void> check(CUresult result, const char* call, const char* object = "") {
    return result == CUDA_SUCCESS ? Result<void>() : failed(result, call, object);
  }
  Error failed(CUresult result, const char* call, const std::string& object);

  bool isLost() const { return lost_.load(std::memory_order_acquire); }
  void gave() { given_.fetch_add(1, std::memory_order_release); } // work to the stream
  void launched(const bsgp_plan& plan, const bsgp_kernel& kernel);
  bool idle() const { return given_.load(std::memory_order_acquire) == done_.load(std::memory_order_acquire); }
  Result<void> synchronize(); // waits until all earlier work is done

private:
  struct Launch {
    const bsgp_plan* plan;
    const bsgp_kernel* kernel;
  };
  static constexpr size_t kMostNamed = 32;

  Gpu(const Driver& driver, CUdevice device) : driver_(driver), device_(device) {}
  Result<void> start();
  void ask();
  std::string suspects();

  const Driver& driver_;
  const CUdevice device_;
  CUcontext context_ = nullptr;
  CUstream stream_ = nullptr;
  std::string name_;
  unsigned capability_ = 0;
  int processors_ = 1;

  std::atomic<uint64_t> given_{0}, done_{0};
  std::atomic<bool> lost_{false};
  std::mutex mutex_; // of all below
  std::string lost_by_;
  std::array<Launch, kMostNamed> launches_{}; // the last ones
  uint64_t launch_count_ = 0, finished_launches_ = 0;
};

// "test.bsgp:20-25: f:10 #2 (kernel f_10_2)".
std::string describeLaunch(const bsgp_plan& plan, const bsgp_kernel& kernel);

} // namespace bsgp::runtime::cuda
