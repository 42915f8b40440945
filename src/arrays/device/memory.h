// Contexts of targets, and arrays in their memory.
#pragma once

#include <memory>
#include <string>

#include "arrays/device/target.h"
#include "bsgp/bsgp.h"
#include "support/result.h"

namespace bsgp::arrays {

// The context of a target, which lives as long as the process. Fails where its machine is not there.
Result<bsgp_context*> contextOf(Target target);

class DeviceBuffer {
public:
  DeviceBuffer(bsgp_context* context, void* data) : context_(context), data_(data) {}
  ~DeviceBuffer() { bsgp_free(context_, data_); }
  DeviceBuffer(const DeviceBuffer&) = delete;
  DeviceBuffer& operator=(const DeviceBuffer&) = delete;
  char* data() const { return static_cast<char*>(data_); }

private:
  bsgp_context* context_;
  void* data_;
};
using DeviceRef = std::shared_ptr<const DeviceBuffer>;

// `what`: for the message, the array that lacks memory.
Result<DeviceRef> allocateOn(bsgp_context* context, size_t bytes, const std::string& what);
Result<DeviceRef> copyTo(bsgp_context* context, const void* from, size_t bytes, const std::string& what);
Result<void> copyFrom(bsgp_context* context, void* to, const char* from, size_t bytes);

// Fails with the message of a call of the runtime.
Result<void> asResult(bsgp_status status);

} // namespace bsgp::arrays
