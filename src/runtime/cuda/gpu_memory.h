// Device memory in the order of the stream: a freed block may be taken again at once, since what uses it next comes
// after what used it last. From a pool of the driver; where the driver has none, from blocks that are kept here.
#pragma once

#include <map>
#include <mutex>
#include <vector>

#include "runtime/cuda/gpu.h"

namespace bsgp::runtime::cuda {

class GpuMemory {
public:
  // cache_bytes: kept when they are free; 0: all.
  static Result<std::unique_ptr<GpuMemory>> create(Gpu& gpu, uint64_t cache_bytes);
  ~GpuMemory();
  GpuMemory(const GpuMemory&) = delete;
  GpuMemory& operator=(const GpuMemory&) = delete;

  CUdeviceptr allocate(size_t bytes, std::string& why); // 0: as `why` says
  void release(CUdeviceptr block, size_t bytes);        // as it was allocated
  size_t cached();

private:
  GpuMemory(Gpu& gpu, uint64_t cache_bytes) : gpu_(gpu), cache_bytes_(cache_bytes) {}
  Result<void> createPool();
  CUresult take(size_t bytes, CUdeviceptr& block);
  void keepOrFree(CUdeviceptr block, size_t bytes);
  void trim();

  Gpu& gpu_;
  const uint64_t cache_bytes_;
  CUmemoryPool pool_ = nullptr; // null: the driver has none
  std::mutex mutex_;            // of all below, which is for drivers without pools
  std::map<size_t, std::vector<CUdeviceptr>> kept_;
  size_t kept_bytes_ = 0;
};

} // namespace bsgp::runtime::cuda
