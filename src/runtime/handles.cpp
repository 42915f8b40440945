#include "runtime/handles.h"

#include <algorithm>

namespace bsgp::runtime {

std::vector<const void*>::iterator Handles::find(const void* handle) {
  return std::lower_bound(live_.begin(), live_.end(), handle, std::less<>());
}

void Handles::add(const void* handle) {
  std::lock_guard lock(mutex_);
  live_.insert(find(handle), handle);
}

bool Handles::remove(const void* handle) {
  std::lock_guard lock(mutex_);
  auto found = find(handle);
  if (found == live_.end() || *found != handle)
    return false;
  live_.erase(found);
  removals_.fetch_add(1, std::memory_order_release);
  return true;
}

bool Handles::has(const void* handle) {
  std::lock_guard lock(mutex_);
  auto found = find(handle);
  return found != live_.end() && *found == handle;
}

} // namespace bsgp::runtime
