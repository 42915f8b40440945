// Copies between host and device, and within the device, in the order of the stream.
#pragma once

#include <array>
#include <mutex>

#include "runtime/cuda/gpu.h"

namespace bsgp::runtime::cuda {

class GpuMemory;

// Two pinned buffers, used in turn: while the GPU copies one, the host fills or empties the other.
class Staging {
public:
  static constexpr size_t kBytes = size_t(4) << 20; // of each

  struct Buffer {
    char* memory = nullptr;
    CUevent event = nullptr; // after the last copy of its contents
    size_t used = 0;
    bool in_flight = false; // until the event
  };

  explicit Staging(Gpu& gpu) : gpu_(gpu) {}
  ~Staging();
  Staging(const Staging&) = delete;
  Staging& operator=(const Staging&) = delete;

  Result<void> prepare(); // before the first use
  Buffer& buffer(size_t i) { return buffers_[i % 2]; }
  Result<void> mark(Buffer& buffer);  // the GPU is to do what was given so far, and then the buffer is free
  Result<void> await(Buffer& buffer); // until it is

private:
  Gpu& gpu_;
  std::array<Buffer, 2> buffers_;
};

class Copies {
public:
  Copies(Gpu& gpu, GpuMemory& memory) : gpu_(gpu), memory_(memory), down_(gpu), up_(gpu) {}

  Result<void> toDevice(CUdeviceptr to, const void* from, size_t bytes); // `from` may be written on return
  Result<void> toHost(void* to, CUdeviceptr from, size_t bytes);         // waits for all work
  Result<void> within(CUdeviceptr to, CUdeviceptr from, size_t bytes);   // may overlap

private:
  Result<void> toHostInPieces(char* to, CUdeviceptr from, size_t bytes);
  Result<void> askFor(Staging::Buffer& buffer, CUdeviceptr from, size_t bytes);
  Result<void> withinOverlapping(CUdeviceptr to, CUdeviceptr from, size_t bytes);
  Result<void> move(CUdeviceptr to, CUdeviceptr from, size_t bytes);
  template <class Function> Result<void> inDirection(bool upwards, size_t bytes, size_t piece, Function function);

  Gpu& gpu_;
  GpuMemory& memory_;
  std::mutex down_mutex_, up_mutex_;
  Staging down_, up_;    // to the device, to the host
  size_t down_turn_ = 0; // which buffer is being filled
};

} // namespace bsgp::runtime::cuda
