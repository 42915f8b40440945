// The checks of launches on a GPU: tables of memory are copied to the GPU before a launch, and the findings of its
// threads are fetched after it. The host's written-bits are the master; a launch has a copy.
#pragma once

#include <map>
#include <mutex>
#include <span>
#include <vector>

#include "plan/gpu_check_abi.h"
#include "runtime/check/allocations.h"
#include "runtime/cuda/copies.h"
#include "runtime/cuda/gpu_memory.h"
#include "runtime/device.h"

namespace bsgp::runtime::cuda {

class LaunchChecks {
public:
  LaunchChecks(Gpu& gpu, GpuMemory& memory, Copies& copies) : gpu_(gpu), memory_(memory), copies_(copies) {}
  ~LaunchChecks();
  LaunchChecks(const LaunchChecks&) = delete;
  LaunchChecks& operator=(const LaunchChecks&) = delete;

  std::unique_lock<std::mutex> lock() { return std::unique_lock(mutex_); } // for all of a launch

  Result<CUdeviceptr> begin(const Work& work); // the address of its bsgp_gpu_check
  Result<void> end(const Work& work);          // when it is done: waits for that

private:
  struct Block {
    CUdeviceptr address = 0;
    size_t bytes = 0;
  };
  // The shadow of an allocation on the GPU.
  struct Shadow {
    uint64_t serial = 0, launch = 0; // of the allocation; the last launch that knew it
    unsigned shift = 0;
    uint64_t granules = 0;
    Block entries, written;
    check::WrittenBytes* bytes = nullptr; // `written` is a copy of it, in this launch
    std::vector<uint64_t> given;          // as it was before
  };

  Result<void> grow(Block& block, size_t bytes, bool zeros);
  void drop(Block& block);
  Result<void> clear(const Block& block);
  Result<void> describe(const Work& work);
  Result<void> forgetOldLaunches(const bsgp_check_launch& launch);
  Result<void> addMemories(const Work& work);
  Result<void> addMemory(const Work& work, check::Allocation& allocation);
  Result<void> addEntries(const Work& work, const check::Allocation& allocation, Shadow& shadow);
  Result<void> addWritten(check::Allocation& allocation, Shadow& shadow);
  void dropUnused(uint64_t launch);
  Result<void> addTables(const Work& work);
  Result<void> addFindings(const bsgp_gpu_code& code);
  Result<std::vector<bsgp_gpu_finding>> fetchFindings();
  Result<void> fetchWritten();
  template <class T> Result<void> give(Block& block, std::span<const T> values) {
    if (auto grown = grow(block, values.size_bytes(), false); !grown)
      return grown;
    return copies_.toDevice(block.address, values.data(), values.size_bytes());
  }

  Gpu& gpu_;
  GpuMemory& memory_;
  Copies& copies_;
  std::mutex mutex_; // of all below
  uint32_t last_epoch_ = 0;
  std::map<uintptr_t, Shadow> shadows_; // by begin
  std::vector<bsgp_gpu_memory> memories_;
  bsgp_gpu_check said_{};
  Block header_, table_, unset_, findings_, counts_, puts_, steps_;
};

} // namespace bsgp::runtime::cuda
