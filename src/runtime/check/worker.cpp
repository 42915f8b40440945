#include "runtime/check/worker.h"

#include <algorithm>
#include <cstring>

#include "runtime/check/mappings.h"

namespace bsgp::runtime::check {

constinit thread_local Worker* Worker::current = nullptr;

Worker& Worker::make() {
  thread_local std::unique_ptr<Worker> owner = std::make_unique<Worker>();
  current = owner.get();
  return *current;
}

Allocation* Worker::findAnew(AllocationMap& map, uintptr_t base, uint64_t generation, Found& slot) {
  Allocation* found = map.at(base);
  if (!found && isMapped(base, 1, false))
    found = map.foreignAt(base);
  slot = {base, generation, found};
  return found;
}

void* Worker::nowhere(size_t bytes) {
  constexpr size_t kLeast = 4096, kAlign = 64;
  if (nowhere_bytes_ < bytes) {
    nowhere_bytes_ = std::max(kLeast, bytes);
    nowhere_memory_ = std::make_unique<char[]>(nowhere_bytes_ + kAlign);
    nowhere_ = nowhere_memory_.get() + (kAlign - reinterpret_cast<uintptr_t>(nowhere_memory_.get()) % kAlign);
  }
  std::memset(nowhere_, 0, bytes);
  return nowhere_;
}

} // namespace bsgp::runtime::check
