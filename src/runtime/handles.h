// The handles that callers in C hold: a handle that was destroyed is refused, and not read.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <vector>

namespace bsgp::runtime {

// The handles of one kind that are live, by address. A handle counts as live again once a later one gets its address.
class Handles {
public:
  void add(const void* handle);
  bool remove(const void* handle); // false: it is not live
  bool has(const void* handle);

  // How often one was removed. As long as that stays the same, all that were live are live.
  uint64_t removals() const { return removals_.load(std::memory_order_acquire); }

private:
  std::vector<const void*>::iterator find(const void* handle);

  std::mutex mutex_;
  std::vector<const void*> live_; // sorted
  std::atomic<uint64_t> removals_{0};
};

} // namespace bsgp::runtime
