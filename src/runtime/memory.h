// The device memory of one context: who holds what, how much, and poison. Streams are counted only, what the program
// allocated is remembered until it is freed or the context goes.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include "runtime/device.h"
#include "runtime/guard.h"

namespace bsgp::runtime {

namespace check {
class Checker;
struct Allocation;
} // namespace check

// Where the program asked for an allocation, for messages.
struct Origin {
  const bsgp_site* site = nullptr; // null: unknown
  int64_t count = 0;               // elements
  uint64_t unloads = 0;            // how often code had been unloaded by then: the site may be gone since
};

// Sites of all that is live now are not to be read any more: the code that holds them goes.
void forgetSites();
uint64_t timesUnloaded();

// Live allocations by address: open addressing, at most half full.
class AllocationTable {
public:
  struct Entry {
    void* block = nullptr;
    size_t bytes = 0;
    uint64_t serial = 0; // tells an address apart from the same address allocated again
    Origin origin;
    bool is_damaged = false; // and that was noted
  };
  void insert(const Entry& entry);
  Entry* find(const void* block);
  Entry* around(const void* address); // the one that it lies in
  Entry remove(Entry* entry);
  std::vector<Entry>& entries() { return entries_; } // with empty ones among them

private:
  size_t home(const void* block) const;
  void grow();
  static bool isIn(const Entry& entry, uintptr_t at);
  std::vector<Entry> entries_;
  size_t count_ = 0;
  size_t last_around_ = 0;                       // its place
  uintptr_t lowest_ = UINTPTR_MAX, highest_ = 0; // of all that was ever inserted
};

struct MemoryCounts {
  uint64_t live_bytes, peak_bytes, live_blocks;
};

class Memory {
public:
  // `checker` is told of what is allocated and freed; null: nobody is.
  Memory(Device& device, bool poison, check::Checker* checker = nullptr)
      : device_(device), poison_(poison), guarded_(device.margin() >= guard::kBytes), checker_(checker) {}
  ~Memory();

  // Not remembered: the caller gives it back. Null when there is no memory; `why` may then have words for it.
  void* take(size_t bytes, std::string& why);
  void give(void* block, size_t bytes);
  // What is freed shall be seen to be: it is not kept for who asks next.
  bool freesAtOnce() const { return poison_ || checker_; }

  struct Allocation {
    void* block = nullptr; // null: no memory
    uint64_t serial = 0;
  };
  Allocation allocate(size_t bytes, Origin origin, std::string& why);
  // False when `block` is not live, or (serial not 0) is another allocation at the same address.
  // `at`: where the program asked for that; null: unknown.
  bool release(void* block, uint64_t serial = 0, const bsgp_site* at = nullptr);

  // Host memory of new and delete; poisoned as device memory is, not counted.
  void* allocateHost(size_t bytes, Origin origin);
  bool releaseHost(void* block, const bsgp_site* at = nullptr);

  // A message, with its place, if an allocation that was released was found to be written past its ends; given once. Of
  // several the first. "" as a rule, and always of the memory of a device that has no margin.
  std::string takeDamage();
  void lookForDamage(); // in what is still allocated

  // Bytes from `address` to the end of the live allocation it lies in; SIZE_MAX where that is unknown (the caller's own
  // memory).
  size_t roomAt(const void* address, Space space);

  MemoryCounts counts() const;

private:
  using Entry = AllocationTable::Entry;
  bool isWhole(Entry& entry);
  void noteDamage(Entry& entry, guard::Damage damage);
  void lookForDamage(AllocationTable& table, guard::Damage wanted);
  void count(size_t bytes);
  void uncount(size_t bytes);
  void fillWithPoison(void* block, size_t bytes);
  void watch(void* block, size_t bytes, Space space, const Origin& origin);
  void hold(const Entry& entry, Space space, const bsgp_site* at);
  size_t withRoom(size_t bytes) const;
  void giveFromQuarantine(void* block, size_t bytes, Space space, check::Allocation* allocation);
  bool endQuarantine();

  Device& device_;
  const bool poison_, guarded_; // guarded: device memory; host memory is always
  check::Checker* const checker_;
  std::atomic<uint64_t> live_bytes_{0}, peak_bytes_{0}, live_blocks_{0};
  std::mutex mutex_; // of all below
  AllocationTable device_blocks_, host_blocks_;
  uint64_t next_serial_ = 1;
  std::atomic<bool> is_damaged_{false};
  std::string damage_;
};

} // namespace bsgp::runtime
