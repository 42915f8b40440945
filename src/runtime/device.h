// The operations that a target provides for the runtime: memory, copies, launches. Work is done in the order in which
// a device is given it; a CPU has done it when the function returns, a GPU does it later.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "plan/plan_abi.h"
#include "support/result.h"

namespace bsgp::runtime {

class Profile;

enum class Space : uint32_t { Host = BSGP_HOST, Device = BSGP_DEVICE };

struct Work {
  const bsgp_plan& plan;
  const bsgp_kernel& kernel;
  const bsgp_launch& launch;
};

// The state of a device for one call from outside, from its first launch on; each kind of device has its own or none.
class DeviceCall {
public:
  virtual ~DeviceCall() = default;
};

// Any thread may call any function at any time. Messages of errors are words to follow the place in the program.
class Device {
public:
  virtual ~Device() = default;
  virtual const char* name() const = 0;
  virtual unsigned threads() const = 0;    // blocks that are executed at the same time
  virtual bsgp_code_kind code() const = 0; // of the kernels it takes
  bool isGpu() const { return code() == BSGP_CODE_GPU; }

  virtual bool isLost() const { return false; } // every function fails from now on

  // Bytes in front of each allocation and behind it that the host may read and write.
  virtual size_t margin() const { return 0; }

  // Never fewer than 64 bytes, aligned to 256 (a CPU's to 2 MiB from 2 MiB on); the contents are undefined. Null if
  // there is no memory; `why` may then have words for it.
  virtual void* allocate(size_t bytes, std::string& why) = 0;
  virtual void release(void* block, size_t bytes) = 0; // `bytes` as it was allocated
  virtual size_t cachedBytes() const = 0;              // released, kept for the next allocation

  virtual Result<void> fill(void* to, uint8_t byte, size_t bytes) = 0;
  // They may overlap. A copy to the host waits for all work, and wait(call) after it need not wait again. The source
  // of a copy from the host may be written when it returns.
  virtual Result<void> copy(void* to, Space to_space, const void* from, Space from_space, size_t bytes,
                            DeviceCall* call = nullptr) = 0;

  // Runs all blocks of the launch. `call` belongs to the caller, who deletes it after the last wait.
  virtual Result<void> launch(const Work& work, std::unique_ptr<DeviceCall>& call) = 0;
  // The same; the profile gets the time it took.
  virtual Result<void> launchProfiled(const Work& work, std::unique_ptr<DeviceCall>& call, Profile& profile);

  // True if it is known already that wait(call) gives an error. It does not wait: a recent failure may not be known
  // yet, and is found by asking again.
  virtual bool hasFailed(DeviceCall* call) { return false; }

  // Returns when all work is done: an error if a thread of the call's launches has failed (once), or the device. The
  // message is whole, with the place.
  virtual Result<void> wait(DeviceCall* call) { return {}; }
};

// Chooses which form runs of kernels for CPUs that have two.
enum class FormRule : uint8_t {
  Measured, // the faster one
  Lanes,
  Alone,
  Wavefront,
  Mixed, // all, block by block
};

struct DeviceOptions {
  unsigned threads = 0;     // 0: as many as this process may use
  uint64_t cache_bytes = 0; // bound of the memory cache; 0: a quarter of what this process may use
  FormRule form = FormRule::Measured;
};

// "cpu", "reference", "cuda", or "auto": the best one there is.
Result<std::unique_ptr<Device>> createDevice(const std::string& target, const DeviceOptions& options);

std::unique_ptr<Device> createCpuDevice(const DeviceOptions& options);
std::unique_ptr<Device> createReferenceDevice(const DeviceOptions& options);

inline int64_t blockCount(const bsgp_launch& launch) {
  return (launch.size + launch.block - 1) / launch.block;
}

} // namespace bsgp::runtime
