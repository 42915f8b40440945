#include "runtime/check/allocations.h"

#include <algorithm>
#include <new>
#include <sys/mman.h>
#include <utility>

namespace bsgp::runtime::check {
namespace {

constexpr uintptr_t kEndOfAddresses = uintptr_t(1) << 47;
constexpr uint32_t kAny = UINT32_MAX;

void* mapZeros(size_t bytes) {
  void* mapped = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapped == MAP_FAILED)
    throw std::bad_alloc();
  return mapped;
}

uint64_t nextGeneration() {
  static std::atomic<uint64_t> generation{0};
  return generation.fetch_add(1, std::memory_order_relaxed) + 1;
}

} // namespace

AllocationMap::AllocationMap(uint32_t most_records)
    : most_records_(std::min(most_records, kMostRecords)),
      top_(static_cast<std::atomic<Leaf*>*>(mapZeros(sizeof(void*) << kTopBits))) {
  unknown_memory_.is_foreign = true;
  changed();
}

AllocationMap::~AllocationMap() {
  for (size_t i = 0; i < size_t(1) << kTopBits; ++i)
    if (Leaf* leaf = top_[i].load())
      munmap(static_cast<void*>(leaf), sizeof(Leaf) << kLeafBits);
  munmap(static_cast<void*>(top_), sizeof(void*) << kTopBits);
  for (auto& chunk : chunks_)
    delete[] chunk.load();
}

void AllocationMap::changed() {
  generation_.store(nextGeneration(), std::memory_order_release);
}

AllocationMap::Leaf* AllocationMap::makeLeaf(uintptr_t address) {
  auto& slot = top_[address >> (kGranuleBits + kLeafBits)];
  if (!slot.load(std::memory_order_relaxed))
    slot.store(static_cast<Leaf*>(mapZeros(sizeof(Leaf) << kLeafBits)), std::memory_order_release);
  return slot.load(std::memory_order_relaxed);
}

// Under the lock, as all below that write.
Allocation* AllocationMap::newRecord() {
  uint32_t number = used_;
  if (!unused_.empty()) {
    number = unused_.back();
    unused_.pop_back();
  } else if (number == most_records_) {
    return nullptr;
  } else {
    auto& chunk = chunks_[number >> kChunkBits];
    if (!chunk.load(std::memory_order_relaxed))
      chunk.store(new Allocation[size_t(1) << kChunkBits], std::memory_order_release);
    ++used_;
  }
  Allocation& fresh = record(number);
  fresh.number = number;
  fresh.is_foreign = fresh.is_of_library = false;
  fresh.serial = next_serial_++;
  return &fresh;
}

// The granules of [begin, end): all of them, or those that have the number `instead_of`.
void AllocationMap::mark(uintptr_t begin, uintptr_t end, uint32_t number, uint32_t instead_of) {
  constexpr uintptr_t kGranule = uintptr_t(1) << kGranuleBits;
  for (uintptr_t at = begin & ~(kGranule - 1); at < end; at += kGranule) {
    Leaf& granule = makeLeaf(at)[inLeaf(at)];
    if (instead_of == kAny || granule.load(std::memory_order_relaxed) == instead_of)
      granule.store(number, std::memory_order_release);
  }
}

Allocation* AllocationMap::add(void* block, uint64_t bytes, Space space, Origin origin) {
  std::lock_guard lock(mutex_);
  auto begin = reinterpret_cast<uintptr_t>(block);
  Allocation* fresh = begin + bytes < kEndOfAddresses ? newRecord() : nullptr;
  if (!fresh)
    return nullptr;
  fresh->begin = begin;
  fresh->bytes = bytes;
  fresh->had_extent.store(bytes, std::memory_order_relaxed);
  fresh->reserved = fresh->of_list = 0;
  fresh->space = space;
  fresh->is_freed.store(false, std::memory_order_relaxed);
  fresh->made = {origin.site, origin.unloads};
  fresh->freed = {};
  fresh->count.store(origin.count, std::memory_order_relaxed);
  fresh->element_bytes = origin.count > 0 ? uint32_t(bytes / uint64_t(origin.count)) : 0;
  fresh->extent.store(bytes, std::memory_order_relaxed);
  mark(begin, begin + bytes + 1, fresh->number, kAny);
  changed();
  return fresh;
}

Allocation* AllocationMap::liveAt(void* block) const {
  auto begin = reinterpret_cast<uintptr_t>(block);
  Allocation* found = at(begin);
  return found && found->begin == begin && !found->is_foreign && !found->is_freed.load() ? found : nullptr;
}

void AllocationMap::giveToLibrary(void* block) {
  std::lock_guard lock(mutex_);
  Allocation* found = liveAt(block);
  if (!found)
    return;
  found->is_of_library = true;
  if (WrittenBytes* written = found->written.load(std::memory_order_acquire))
    written->set(0, found->bytes, true);
}

// Under the lock. As many elements as a list's memory may have count as allocated.
void AllocationMap::setReach(Allocation& memory, uint64_t bytes) {
  memory.extent.store(std::min(bytes, memory.bytes), std::memory_order_relaxed);
  if (memory.element_bytes)
    memory.count.store(int64_t(bytes / memory.element_bytes), std::memory_order_relaxed);
}

void AllocationMap::listHas(void* block, uint64_t bytes) {
  std::lock_guard lock(mutex_);
  Allocation* found = liveAt(block);
  if (!found)
    return;
  setReach(*found, std::max(bytes, found->reserved));
  WrittenBytes* written = found->written.load(std::memory_order_acquire);
  uint64_t had = std::min(std::exchange(found->of_list, bytes), found->bytes);
  uint64_t kept = std::max(bytes, found->reserved); // what is reserved stays as it is, and may be a part again
  if (written && had > kept)
    written->set(kept, had - kept, false);
}

void AllocationMap::listReserves(void* block, uint64_t bytes) {
  std::lock_guard lock(mutex_);
  if (Allocation* found = liveAt(block)) {
    found->reserved = std::max(bytes, found->reserved);
    setReach(*found, std::max(bytes, found->extent.load(std::memory_order_relaxed)));
  }
}

Allocation* AllocationMap::free(void* block, const bsgp_site* freed_at) {
  std::lock_guard lock(mutex_);
  Allocation* found = liveAt(block);
  if (!found)
    return nullptr;
  found->had_extent.store(found->extent.load(std::memory_order_relaxed), std::memory_order_relaxed);
  found->freed = {freed_at, timesUnloaded()};
  found->is_freed.store(true, std::memory_order_release);
  found->extent.store(0, std::memory_order_relaxed);
  changed();
  return found;
}

void AllocationMap::forget(Allocation* allocation) {
  std::lock_guard lock(mutex_);
  mark(allocation->begin, allocation->begin + allocation->bytes + 1, 0, allocation->number);
  unused_.push_back(allocation->number);
  changed();
}

Allocation* AllocationMap::at(uintptr_t address) const {
  if (address >= kEndOfAddresses)
    return nullptr;
  Leaf* leaf = leafAt(address);
  uint32_t number = leaf ? leaf[inLeaf(address)].load(std::memory_order_acquire) : 0;
  return number ? &record(number) : nullptr;
}

AllocationMap::WrittenAt AllocationMap::writtenAt(uintptr_t address, uint64_t bytes) const {
  Allocation* memory = at(address);
  if (!memory || address < memory->begin || address - memory->begin + bytes > memory->bytes)
    return {};
  return {memory->written.load(std::memory_order_acquire), address - memory->begin};
}

// Under the lock.
Allocation* AllocationMap::newForeign(uintptr_t begin) {
  Allocation* made = newRecord();
  if (!made) {
    countUnknown();
    return nullptr;
  }
  made->begin = begin;
  made->bytes = uint64_t(1) << kForeignBits;
  made->had_extent.store(made->bytes, std::memory_order_relaxed);
  made->is_foreign = true;
  made->space = Space::Device;
  made->made = made->freed = {};
  made->count.store(0, std::memory_order_relaxed);
  made->element_bytes = 0;
  made->is_freed.store(false, std::memory_order_relaxed);
  made->extent.store(made->bytes, std::memory_order_relaxed);
  return made;
}

Allocation* AllocationMap::foreignAt(uintptr_t address) {
  if (address >= kEndOfAddresses)
    return nullptr;
  std::lock_guard lock(mutex_);
  Allocation*& found = foreign_[address >> kForeignBits];
  if (!found && !(found = newForeign(address >> kForeignBits << kForeignBits)))
    found = &unknown_memory_;
  if (found != &unknown_memory_)
    mark(address, address + 1, found->number, 0);
  return found;
}

} // namespace bsgp::runtime::check
