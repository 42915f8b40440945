// Looks up the memory at an address, for code that watches its accesses: lookups by all workers take no lock.
//
// A table has a number for every 256 bytes of address space, two levels deep and mapped where it is used. An allocation
// owns the granules from its begin to one past its end: the allocators leave that much behind each one.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "runtime/check/written.h"
#include "runtime/guard.h"
#include "runtime/memory.h"

namespace bsgp::runtime::check {

// The place that asked for an allocation, as long as its program is loaded.
struct Where {
  const bsgp_site* site = nullptr; // null: unknown
  uint64_t unloads = 0;            // as in Origin
};

// Once made, the record of an allocation stays at its address; when no access can mean it any more, it is reused.
struct Allocation {
  uintptr_t begin = 0;
  std::atomic<uint64_t> extent{0};     // bytes that may be reached; 0 once it was freed
  uint64_t bytes = 0;                  // as it was allocated
  uint64_t reserved = 0;               // bytes that a list may have later
  uint64_t of_list = 0;                // bytes that the list has
  std::atomic<uint64_t> had_extent{0}; // before it was freed
  uint64_t serial = 0;
  uint32_t element_bytes = 0; // 0: unknown
  uint32_t number = 0;        // of the record
  Space space = Space::Device;
  bool is_of_library = false; // a temporary of the library: its races are not looked for
  bool is_foreign = false;    // memory of the caller's own: its ends are unknown
  std::atomic<bool> is_freed{false};
  Where made, freed;
  std::atomic<int64_t> count{0};               // elements; 0: unknown
  std::atomic<RaceShadow*> races{nullptr};     // Shadows makes and drops it
  std::atomic<WrittenBytes*> written{nullptr}; // null: all of it counts as written

  bool holds(uintptr_t address, uint64_t size) const {
    uint64_t at = address - begin, room = extent.load(std::memory_order_relaxed);
    return at < room && size <= room - at;
  }
  // Memory of the C library's own may lie in the same granules, but not in the guard bytes around it.
  bool mayBeBaseOf(uintptr_t address) const { return address - begin + guard::kBytes < bytes + 2 * guard::kBytes; }
};

class AllocationMap {
public:
  static constexpr uint32_t kMostRecords = 1 << 24;
  explicit AllocationMap(uint32_t most_records = kMostRecords);
  ~AllocationMap();
  AllocationMap(const AllocationMap&) = delete;
  AllocationMap& operator=(const AllocationMap&) = delete;

  // Null if no record is left.
  Allocation* add(void* block, uint64_t bytes, Space space, Origin origin);
  // It may not be reached from now on. Its memory must not be reused until forget().
  Allocation* free(void* block, const bsgp_site* freed_at);
  void forget(Allocation* allocation);
  // Marks a temporary of the library. It counts as written, until an unwritten value is copied there.
  void giveToLibrary(void* block);
  // For a list's memory: sets the bytes that may be reached, beside those reserved; or sets the bytes reserved.
  // Elements that a list loses count as never written.
  void listHas(void* block, uint64_t bytes);
  void listReserves(void* block, uint64_t bytes);

  // Counts memory that has no record: it counts as the caller's own, or is not checked.
  void countUnknown() { unknown_.fetch_add(1, std::memory_order_relaxed); }
  uint64_t unknown() const { return unknown_.load(std::memory_order_relaxed); }

  Allocation* at(uintptr_t address) const; // null: unknown
  // The written-bits of so many bytes; null: all of them count as written.
  struct WrittenAt {
    WrittenBytes* bytes = nullptr;
    uint64_t offset = 0;
  };
  WrittenAt writtenAt(uintptr_t address, uint64_t bytes) const;
  // Memory of the caller's own has a record for each MiB of address space, made at the first lookup. Null if there
  // can be no memory at the address.
  Allocation* foreignAt(uintptr_t address);

  // Changes with each allocation and each one that is freed or forgotten, in all maps, and if unset variables appear
  // where compiled code knows of none: earlier lookups may be stale.
  uint64_t generation() const { return generation_.load(std::memory_order_acquire); }
  void changed();
  const uint64_t* counter() const { return reinterpret_cast<const uint64_t*>(&generation_); } // for compiled code

  template <class Function> void forAll(const Function& function) {
    std::lock_guard lock(mutex_);
    for (uint32_t i = 1; i < used_; ++i)
      function(record(i));
  }

private:
  static constexpr unsigned kGranuleBits = 8, kLeafBits = 20, kTopBits = 47 - kGranuleBits - kLeafBits;
  static constexpr unsigned kChunkBits = 12, kChunks = kMostRecords >> kChunkBits, kForeignBits = 20;
  using Leaf = std::atomic<uint32_t>;

  Allocation& record(uint32_t number) const {
    return chunks_[number >> kChunkBits].load(std::memory_order_acquire)[number & ((1u << kChunkBits) - 1)];
  }
  Leaf* leafAt(uintptr_t address) const {
    return top_[address >> (kGranuleBits + kLeafBits)].load(std::memory_order_acquire);
  }
  static size_t inLeaf(uintptr_t address) { return (address >> kGranuleBits) & ((size_t(1) << kLeafBits) - 1); }
  Leaf* makeLeaf(uintptr_t address);
  Allocation* newRecord();
  Allocation* newForeign(uintptr_t begin);
  Allocation* liveAt(void* block) const;
  void mark(uintptr_t begin, uintptr_t end, uint32_t number, uint32_t instead_of);
  void setReach(Allocation& memory, uint64_t bytes);

  const uint32_t most_records_;
  std::atomic<Leaf*>* top_;
  std::atomic<Allocation*> chunks_[kChunks]{};
  std::mutex mutex_;          // of all below, and of those who write the above
  Allocation unknown_memory_; // the caller's own, if no record is left: it holds nothing, so it is never looked at
  uint32_t used_ = 1;
  uint64_t next_serial_ = 1;
  std::vector<uint32_t> unused_;
  std::unordered_map<uintptr_t, Allocation*> foreign_; // by MiB
  std::atomic<uint64_t> generation_{0}, unknown_{0};
};

} // namespace bsgp::runtime::check
