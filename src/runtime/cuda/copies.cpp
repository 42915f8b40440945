#include "runtime/cuda/copies.h"

#include <algorithm>
#include <cstring>

#include "runtime/cuda/gpu_memory.h"
#include "runtime/failure.h"

namespace bsgp::runtime::cuda {
namespace {

constexpr size_t kDirect = size_t(1) << 20;     // up to here a copy to the host is one of the driver's
constexpr size_t kTemporary = size_t(32) << 20; // most that a copy onto itself takes

std::string amount(size_t bytes) {
  return formatted("%zu bytes", bytes);
}

} // namespace

Staging::~Staging() {
  bool usable = bool(gpu_.enter());
  for (Buffer& buffer : buffers_) {
    if (usable && buffer.event)
      gpu_.driver().cuEventDestroy(buffer.event);
    if (usable && buffer.memory)
      gpu_.driver().cuMemFreeHost(buffer.memory);
  }
}

Result<void> Staging::prepare() {
  for (Buffer& buffer : buffers_) {
    void* memory = buffer.memory;
    if (!memory)
      if (auto made = gpu_.check(gpu_.driver().cuMemHostAlloc(&memory, kBytes, 0), "cuMemHostAlloc", "4 MiB"); !made)
        return made;
    buffer.memory = static_cast<char*>(memory);
    if (!buffer.event)
      if (auto made = gpu_.check(gpu_.driver().cuEventCreate(&buffer.event, CU_EVENT_DISABLE_TIMING), "cuEventCreate");
          !made)
        return made;
  }
  return {};
}

Result<void> Staging::mark(Buffer& buffer) {
  buffer.in_flight = true;
  return gpu_.check(gpu_.driver().cuEventRecord(buffer.event, gpu_.stream()), "cuEventRecord");
}

Result<void> Staging::await(Buffer& buffer) {
  if (!buffer.in_flight)
    return {};
  buffer.in_flight = false;
  return gpu_.check(gpu_.driver().cuEventSynchronize(buffer.event), "cuEventSynchronize");
}

// All of it goes through the buffers, the smallest copy too: if the caller's memory is pinned the driver copies from it
// later, and then the caller could not write to it on return.
Result<void> Copies::toDevice(CUdeviceptr to, const void* from, size_t bytes) {
  std::lock_guard lock(down_mutex_);
  if (auto ready = down_.prepare(); !ready)
    return ready;
  auto* source = static_cast<const char*>(from);
  while (bytes) {
    Staging::Buffer& buffer = down_.buffer(down_turn_);
    if (buffer.used == 0)
      if (auto free = down_.await(buffer); !free)
        return free;
    size_t piece = std::min(bytes, Staging::kBytes - buffer.used);
    std::memcpy(buffer.memory + buffer.used, source, piece);
    CUresult result = gpu_.driver().cuMemcpyHtoDAsync(to, buffer.memory + buffer.used, piece, gpu_.stream());
    if (result != CUDA_SUCCESS)
      return gpu_.failed(result, "cuMemcpyHtoDAsync", amount(piece));
    gpu_.gave();
    to += piece, source += piece, bytes -= piece;
    buffer.used = (buffer.used + piece + 63) & ~size_t(63);
    if (buffer.used < Staging::kBytes)
      continue;
    if (auto marked = down_.mark(buffer); !marked)
      return marked;
    buffer.used = 0;
    ++down_turn_;
  }
  return {};
}

Result<void> Copies::toHost(void* to, CUdeviceptr from, size_t bytes) {
  if (bytes > kDirect)
    if (auto copied = toHostInPieces(static_cast<char*>(to), from, bytes); !copied)
      return copied;
  if (bytes <= kDirect)
    if (CUresult result = gpu_.driver().cuMemcpyDtoHAsync(to, from, bytes, gpu_.stream()))
      return gpu_.failed(result, "cuMemcpyDtoHAsync", amount(bytes));
  gpu_.gave();
  return gpu_.synchronize();
}

// Piece i is on its way into one buffer while piece i-1 is copied out of the other.
Result<void> Copies::toHostInPieces(char* to, CUdeviceptr from, size_t bytes) {
  std::lock_guard lock(up_mutex_);
  if (auto ready = up_.prepare(); !ready)
    return ready;
  size_t pieces = (bytes + Staging::kBytes - 1) / Staging::kBytes;
  auto lengthOf = [&](size_t piece) { return std::min(Staging::kBytes, bytes - piece * Staging::kBytes); };
  for (size_t i = 0; i <= pieces; ++i) {
    if (i < pieces)
      if (auto asked = askFor(up_.buffer(i), from + i * Staging::kBytes, lengthOf(i)); !asked)
        return asked;
    if (i == 0)
      continue;
    if (auto arrived = up_.await(up_.buffer(i - 1)); !arrived)
      return arrived;
    std::memcpy(to + (i - 1) * Staging::kBytes, up_.buffer(i - 1).memory, lengthOf(i - 1));
  }
  return {};
}

Result<void> Copies::askFor(Staging::Buffer& buffer, CUdeviceptr from, size_t bytes) {
  if (CUresult result = gpu_.driver().cuMemcpyDtoHAsync(buffer.memory, from, bytes, gpu_.stream()))
    return gpu_.failed(result, "cuMemcpyDtoHAsync", amount(bytes));
  return up_.mark(buffer);
}

Result<void> Copies::move(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
  CUresult result = gpu_.driver().cuMemcpyDtoDAsync(to, from, bytes, gpu_.stream());
  if (result != CUDA_SUCCESS)
    return gpu_.failed(result, "cuMemcpyDtoDAsync", amount(bytes));
  gpu_.gave();
  return {};
}

Result<void> Copies::within(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
  if (to == from)
    return {};
  bool overlap = to < from + bytes && from < to + bytes;
  return overlap ? withinOverlapping(to, from, bytes) : move(to, from, bytes);
}

// Calls function(offset, bytes) for the pieces of a range, from the beginning or from the end.
template <class Function>
Result<void> Copies::inDirection(bool upwards, size_t bytes, size_t piece, Function function) {
  for (size_t done = 0; done < bytes; done += piece) {
    size_t length = std::min(piece, bytes - done);
    if (auto copied = function(upwards ? done : bytes - done - length, length); !copied)
      return copied;
  }
  return {};
}

// The driver copies no range onto itself. Pieces as long as the distance do not overlap; where they would be many, they
// go by way of other memory. Either way no piece is written to before it was read.
Result<void> Copies::withinOverlapping(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
  bool upwards = to < from;
  size_t distance = upwards ? from - to : to - from, room = std::min(bytes, kTemporary);
  if (distance >= bytes / 4)
    return inDirection(upwards, bytes, distance,
                       [&](size_t at, size_t length) { return move(to + at, from + at, length); });
  std::string why;
  CUdeviceptr other = memory_.allocate(room, why);
  if (!other)
    return Error{formatted("cannot allocate %zu bytes to copy a range onto itself: ", room) + why};
  auto copied = inDirection(upwards, bytes, room, [&](size_t at, size_t length) {
    auto out = move(other, from + at, length);
    return out ? move(to + at, other, length) : out;
  });
  memory_.release(other, room);
  return copied;
}

} // namespace bsgp::runtime::cuda
