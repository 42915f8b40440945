// One GPU for one context: a stream, in whose order all is done, and nothing waits but what the host must see.
#pragma once

#include <memory>

#include "runtime/cuda/copies.h"
#include "runtime/cuda/gpu.h"
#include "runtime/cuda/gpu_memory.h"
#include "runtime/cuda/launch_checks.h"
#include "runtime/cuda/launch_times.h"
#include "runtime/cuda/modules.h"
#include "runtime/cuda/records.h"
#include "runtime/device.h"

namespace bsgp::runtime::cuda {

class CudaDevice final : public Device {
public:
  CudaDevice(std::unique_ptr<Gpu> gpu, std::unique_ptr<GpuMemory> memory, CodeCache cache, bool waits_for_launches)
      : gpu_(std::move(gpu)), memory_(std::move(memory)), copies_(*gpu_, *memory_), modules_(*gpu_, std::move(cache)),
        records_(*gpu_, *memory_, copies_), times_(*gpu_), checks_(*gpu_, *memory_, copies_),
        waits_for_launches_(waits_for_launches) {}
  ~CudaDevice() override;

  const char* name() const override { return "cuda"; }
  unsigned threads() const override;
  bsgp_code_kind code() const override { return BSGP_CODE_GPU; }
  bool isLost() const override { return gpu_->isLost(); }

  void* allocate(size_t bytes, std::string& why) override;
  void release(void* block, size_t bytes) override;
  size_t cachedBytes() const override { return memory_->cached(); }

  Result<void> fill(void* to, uint8_t byte, size_t bytes) override;
  Result<void> copy(void* to, Space to_space, const void* from, Space from_space, size_t bytes,
                    DeviceCall* call) override;
  Result<void> launch(const Work& work, std::unique_ptr<DeviceCall>& call) override;
  Result<void> launchProfiled(const Work& work, std::unique_ptr<DeviceCall>& call, Profile& profile) override;
  bool hasFailed(DeviceCall* call) override;
  Result<void> wait(DeviceCall* call) override;

private:
  Result<CudaCall*> prepare(const Work& work, std::unique_ptr<DeviceCall>& call);
  Result<void> start(const Work& work, CudaCall& call, CUfunction function, CUdeviceptr check = 0);
  Result<void> startWatched(const Work& work, CudaCall& call, CUfunction function);
  Result<void> fetch(CudaCall& call);
  Result<void> judge(CudaCall& call);

  const std::unique_ptr<Gpu> gpu_;
  const std::unique_ptr<GpuMemory> memory_;
  Copies copies_;
  Modules modules_;
  Records records_;
  LaunchTimes times_;
  LaunchChecks checks_;
  const bool waits_for_launches_;
};

} // namespace bsgp::runtime::cuda
