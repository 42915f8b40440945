// What a target must do for the runtime: memory, copies, launches.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "plan/plan_abi.h"
#include "support/result.h"

namespace bsgp::runtime {

enum class Space : uint32_t { Host = BSGP_HOST, Device = BSGP_DEVICE };

class Device {
public:
  virtual ~Device() = default;
  virtual const char* name() const = 0;
  virtual unsigned threads() const = 0; // that execute blocks at the same time
  virtual bool isGpu() const { return false; } // runs bsgp_kernel::gpu, others bsgp_kernel::run

  // Never fewer than 64 bytes, aligned to 256 (2 MiB from 2 MiB on); the contents are undefined. Null when there is no
  // memory.
  virtual void* allocate(size_t bytes) = 0;
  virtual void release(void* block, size_t bytes) = 0; // `bytes` as it was allocated
  virtual size_t cachedBytes() const = 0;              // released, kept for the next allocation

  virtual void fill(void* to, uint8_t byte, size_t bytes) = 0;
  virtual void copy(void* to, Space to_space, const void* from, Space from_space, size_t bytes) = 0; // may overlap

  // Runs all blocks of the launch and returns when they are done. Any thread may call this at any time.
  virtual void launch(const bsgp_kernel& kernel, const bsgp_launch& launch) = 0;
};

struct DeviceOptions {
  unsigned threads = 0;     // 0: as many as this process may use
  uint64_t cache_bytes = 0; // bound of the memory cache; 0: a quarter of what this process may use
};

// "cpu", "reference", or "auto": the best one there is.
Result<std::unique_ptr<Device>> createDevice(const std::string& target, const DeviceOptions& options);

std::unique_ptr<Device> createCpuDevice(const DeviceOptions& options);
std::unique_ptr<Device> createReferenceDevice(const DeviceOptions& options);

inline int64_t blockCount(const bsgp_launch& launch) {
  return (launch.size + launch.block - 1) / launch.block;
}

} // namespace bsgp::runtime
