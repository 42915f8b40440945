// The device memory of one context: who holds what, how much, and poison. Streams are counted only, what the program
// allocated is remembered until it is freed or the context goes.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include "runtime/device.h"

namespace bsgp::runtime {

// Live allocations by address: open addressing, at most half full.
class AllocationTable {
public:
  struct Entry {
    void* block = nullptr;
    size_t bytes = 0;
    uint64_t serial = 0; // tells an address apart from the same address allocated again
  };
  void insert(const Entry& entry);
  Entry* find(const void* block);
  Entry remove(Entry* entry);
  const std::vector<Entry>& entries() const { return entries_; } // with empty ones among them

private:
  size_t home(const void* block) const;
  void grow();
  std::vector<Entry> entries_;
  size_t count_ = 0;
};

struct MemoryCounts {
  uint64_t live_bytes, peak_bytes, live_blocks;
};

class Memory {
public:
  Memory(Device& device, bool poison) : device_(device), poison_(poison) {}
  ~Memory();

  // Not remembered: the caller gives it back. Null when there is no memory; `why` may then have words for it.
  void* take(size_t bytes, std::string& why);
  void give(void* block, size_t bytes);

  struct Allocation {
    void* block = nullptr; // null: no memory
    uint64_t serial = 0;
  };
  Allocation allocate(size_t bytes, std::string& why);
  // False when `block` is not live, or (serial not 0) is another allocation at the same address.
  bool release(void* block, uint64_t serial = 0);

  // Host memory of new and delete; poisoned as device memory is, not counted.
  void* allocateHost(size_t bytes);
  bool releaseHost(void* block);

  // Bytes from `address` to the end of the live allocation it lies in; SIZE_MAX where that is unknown (the caller's own
  // memory).
  size_t roomAt(const void* address, Space space);

  MemoryCounts counts() const;

private:
  void count(size_t bytes);
  void fillWithPoison(void* block, size_t bytes);

  Device& device_;
  const bool poison_;
  std::atomic<uint64_t> live_bytes_{0}, peak_bytes_{0}, live_blocks_{0};
  std::mutex mutex_; // of all below
  AllocationTable device_blocks_, host_blocks_;
  uint64_t next_serial_ = 1;
};

} // namespace bsgp::runtime
