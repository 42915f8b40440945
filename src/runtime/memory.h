// The device memory of one context: its owners, its size, and poison. Streams are only counted; allocations of the
// program are remembered until they are freed or the context goes.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "runtime/device.h"
#include "runtime/guard.h"
#include "runtime/origin.h"
#include "runtime/watch.h"

namespace bsgp::runtime {

// A live allocation.
struct AllocatedBlock {
  void* block = nullptr;
  size_t bytes = 0;
  uint64_t serial = 0; // differs if the same address is allocated again
  Origin origin;
  bool is_damaged = false; // and that was noted
};

// Programs allocate in loops: the nodes of freed blocks are used again, so that a round takes nothing from the system.
struct AllocatedBlocks {
  using ByBegin = std::map<uintptr_t, AllocatedBlock>;
  static constexpr size_t kMostSpares = 64;
  ByBegin by_begin;
  std::array<ByBegin::node_type, kMostSpares> spares;
  size_t spare_count = 0;
};

struct MemoryCounts {
  uint64_t live_bytes, peak_bytes, live_blocks;
};

class Memory {
public:
  // `watch` observes what is allocated and freed; it may be null.
  Memory(Device& device, bool poison, Watch* watch = nullptr)
      : device_(device), poison_(poison), guarded_(device.margin() >= guard::kBytes), watch_(watch) {}
  ~Memory();

  // The block is not remembered: the caller gives it back. Null if there is no memory; `why` may then have words for
  // it.
  void* take(size_t bytes, std::string& why);
  void give(void* block, size_t bytes);
  // True if freed memory has to count as free: it is not cached.
  bool freesAtOnce() const { return poison_ || watch_; }

  struct Allocation {
    void* block = nullptr; // null: no memory
    uint64_t serial = 0;
  };
  Allocation allocate(size_t bytes, Origin origin, std::string& why);
  // False when `block` is not live, or (serial not 0) is another allocation at the same address. `at`: the place in
  // the program that asked for it; null: unknown.
  bool release(void* block, uint64_t serial = 0, const bsgp_site* at = nullptr);

  // Host memory of new and delete; poisoned as device memory is, not counted.
  void* allocateHost(size_t bytes, Origin origin);
  bool releaseHost(void* block, const bsgp_site* at = nullptr);

  // Returns a message, with its place, if a released allocation was found to be written past its ends; once, and only
  // for the first one. It is mostly "", and always for a device that has no margin.
  std::string takeDamage();
  void lookForDamage(); // also searches live allocations

  // Returns the bytes from `address` to the end of the live allocation it lies in; SIZE_MAX if that is unknown (the
  // caller's own memory).
  size_t roomAt(const void* address, Space space);

  MemoryCounts counts() const;

private:
  bool isWhole(AllocatedBlock& entry);
  void noteDamage(AllocatedBlock& entry, guard::Damage damage);
  void lookForDamage(AllocatedBlocks& blocks, guard::Damage wanted);
  void count(size_t bytes);
  void uncount(size_t bytes);
  void fillWithPoison(void* block, size_t bytes);
  void hold(const AllocatedBlock& entry, Space space, const bsgp_site* at);
  size_t withRoom(size_t bytes) const;
  bool giveBack(const std::vector<WatchedBlock>& held);

  Device& device_;
  const bool poison_, guarded_; // guarded: device memory; host memory is always
  Watch* const watch_;
  std::atomic<uint64_t> live_bytes_{0}, peak_bytes_{0}, live_blocks_{0};
  std::mutex mutex_; // of all below
  AllocatedBlocks device_blocks_, host_blocks_;
  uint64_t next_serial_ = 1;
  std::atomic<bool> is_damaged_{false};
  std::string damage_;
};

} // namespace bsgp::runtime
