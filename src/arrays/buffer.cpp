#include "arrays/buffer.h"

#include <fmt/format.h>

#include "runtime/device.h"

namespace bsgp::arrays {

namespace {

std::atomic<int64_t> live_bytes{0};

// Its memory alone is used. Never destroyed: arrays may be released while the process ends.
runtime::Device& memory() {
  static auto* const device = runtime::createCpuDevice({.threads = 1}).release();
  return *device;
}

} // namespace

Buffer::~Buffer() {
  if (owner_.release) {
    owner_.release(owner_.owner);
    return;
  }
  if (!data_)
    return;
  memory().release(data_, bytes_);
  live_bytes.fetch_sub(int64_t(bytes_), std::memory_order_relaxed);
}

Result<std::shared_ptr<Buffer>> allocate(size_t bytes, const std::string& what) {
  std::string why;
  void* data = memory().allocate(bytes, why);
  if (!data)
    return Error{fmt::format("there is no memory for {} ({} bytes){}{}", what, bytes, why.empty() ? "" : ": ", why),
                 Mistake::Memory};
  live_bytes.fetch_add(int64_t(bytes), std::memory_order_relaxed);
  return std::make_shared<Buffer>(data, bytes);
}

int64_t liveBytes() {
  return live_bytes.load(std::memory_order_relaxed);
}

} // namespace bsgp::arrays
