#include "arrays/device/memory.h"

#include <algorithm>
#include <map>

#include "runtime/interrupt.h"
#include <fmt/format.h>

namespace bsgp::arrays {

Result<bsgp_context*> contextOf(Target target) {
  static auto* const all = new std::map<Target, bsgp_context*>; // one evaluation runs at a time
  bsgp_context*& context = (*all)[target];
  if (context)
    return context;
  bsgp_options options = BSGP_OPTIONS_INIT;
  options.target = nameOf(target);
  context = bsgp_context_create(&options);
  if (!context)
    return Error{fmt::format("arrays on target {}: {}", nameOf(target), bsgp_error_message())};
  return context;
}

Result<DeviceRef> allocateOn(bsgp_context* context, size_t bytes, const std::string& what) {
  void* data = nullptr;
  if (bsgp_alloc(context, std::max<size_t>(bytes, 1), &data) != BSGP_OK)
    return Error{
        fmt::format("there is no memory on the device for {} ({} bytes): {}", what, bytes, bsgp_error_message())};
  return DeviceRef(std::make_shared<DeviceBuffer>(context, data));
}

Result<DeviceRef> copyTo(bsgp_context* context, const void* from, size_t bytes, const std::string& what) {
  auto made = allocateOn(context, bytes, what);
  if (!made || bytes == 0)
    return made;
  if (auto copied = asResult(bsgp_copy_to_device(context, (*made)->data(), from, bytes)); !copied)
    return copied.error();
  return made;
}

Result<void> copyFrom(bsgp_context* context, void* to, const char* from, size_t bytes) {
  return bytes == 0 ? Result<void>() : asResult(bsgp_copy_to_host(context, to, from, bytes));
}

Result<void> asResult(bsgp_status status) {
  if (status == BSGP_OK)
    return {};
  return status == BSGP_INTERRUPTED ? runtime::interruption() : Error{bsgp_error_message()};
}

} // namespace bsgp::arrays
