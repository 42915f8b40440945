#include "runtime/memory.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace bsgp::runtime {
namespace {

constexpr uint8_t kPoison = 0xCB;

} // namespace

size_t AllocationTable::home(const void* block) const {
  return size_t((uintptr_t(block) >> 4) * 0x9E3779B97F4A7C15u >> 20) & (entries_.size() - 1);
}

void AllocationTable::grow() {
  std::vector<Entry> old(std::max<size_t>(64, entries_.size() * 2));
  old.swap(entries_);
  count_ = 0;
  for (const Entry& entry : old)
    if (entry.block)
      insert(entry);
}

void AllocationTable::insert(const Entry& entry) {
  if (2 * (count_ + 1) > entries_.size())
    grow();
  size_t at = home(entry.block), mask = entries_.size() - 1;
  while (entries_[at].block)
    at = (at + 1) & mask;
  entries_[at] = entry;
  ++count_;
}

AllocationTable::Entry* AllocationTable::find(const void* block) {
  if (!block || entries_.empty())
    return nullptr;
  for (size_t at = home(block), mask = entries_.size() - 1; entries_[at].block; at = (at + 1) & mask)
    if (entries_[at].block == block)
      return &entries_[at];
  return nullptr;
}

// Closes the gap: moves back whatever stands after it and was pushed past it (Knuth 6.4, algorithm R).
AllocationTable::Entry AllocationTable::remove(Entry* entry) {
  Entry removed = *entry;
  size_t gap = size_t(entry - entries_.data()), mask = entries_.size() - 1;
  for (size_t at = (gap + 1) & mask; entries_[at].block; at = (at + 1) & mask)
    if (((at - home(entries_[at].block)) & mask) >= ((at - gap) & mask)) {
      entries_[gap] = entries_[at];
      gap = at;
    }
  entries_[gap] = {};
  --count_;
  return removed;
}

Memory::~Memory() {
  for (const auto& entry : device_blocks_.entries())
    if (entry.block)
      device_.release(entry.block, entry.bytes);
  for (const auto& entry : host_blocks_.entries())
    std::free(entry.block);
}

void Memory::count(size_t bytes) {
  live_blocks_.fetch_add(1, std::memory_order_relaxed);
  uint64_t now = live_bytes_.fetch_add(bytes, std::memory_order_relaxed) + bytes;
  uint64_t peak = peak_bytes_.load(std::memory_order_relaxed);
  while (now > peak && !peak_bytes_.compare_exchange_weak(peak, now, std::memory_order_relaxed)) {
  }
}

// What a device refuses here it also refuses in the next thing it is asked, which has a place to report it.
void Memory::fillWithPoison(void* block, size_t bytes) {
  (void)device_.fill(block, kPoison, bytes);
}

void* Memory::take(size_t bytes, std::string& why) {
  void* block = device_.allocate(bytes, why);
  if (!block)
    return nullptr;
  count(bytes);
  if (poison_) [[unlikely]]
    fillWithPoison(block, bytes);
  return block;
}

void Memory::give(void* block, size_t bytes) {
  if (poison_) [[unlikely]]
    fillWithPoison(block, bytes);
  device_.release(block, bytes);
  live_bytes_.fetch_sub(bytes, std::memory_order_relaxed);
  live_blocks_.fetch_sub(1, std::memory_order_relaxed);
}

Memory::Allocation Memory::allocate(size_t bytes, std::string& why) {
  void* block = take(bytes, why);
  if (!block)
    return {};
  std::lock_guard lock(mutex_);
  device_blocks_.insert({block, bytes, next_serial_});
  return {block, next_serial_++};
}

size_t Memory::roomAt(const void* address, Space space) {
  constexpr size_t kMostSearched = 4096; // an address inside a block is found by looking at all of them
  std::lock_guard lock(mutex_);
  AllocationTable& table = space == Space::Device ? device_blocks_ : host_blocks_;
  if (auto* found = table.find(address))
    return found->bytes;
  if (table.entries().size() > kMostSearched)
    return SIZE_MAX;
  auto at = reinterpret_cast<uintptr_t>(address);
  for (const auto& entry : table.entries()) {
    auto begin = reinterpret_cast<uintptr_t>(entry.block);
    if (entry.block && at >= begin && at - begin < entry.bytes)
      return entry.bytes - (at - begin);
  }
  return SIZE_MAX;
}

bool Memory::release(void* block, uint64_t serial) {
  AllocationTable::Entry entry;
  {
    std::lock_guard lock(mutex_);
    auto* found = device_blocks_.find(block);
    if (!found || (serial && found->serial != serial))
      return false;
    entry = device_blocks_.remove(found);
  }
  give(entry.block, entry.bytes);
  return true;
}

void* Memory::allocateHost(size_t bytes) {
  void* block = std::malloc(std::max<size_t>(bytes, 1));
  if (!block)
    return nullptr;
  if (poison_)
    std::memset(block, kPoison, bytes);
  std::lock_guard lock(mutex_);
  host_blocks_.insert({block, bytes, 0});
  return block;
}

bool Memory::releaseHost(void* block) {
  AllocationTable::Entry entry;
  {
    std::lock_guard lock(mutex_);
    auto* found = host_blocks_.find(block);
    if (!found)
      return false;
    entry = host_blocks_.remove(found);
  }
  if (poison_)
    std::memset(entry.block, kPoison, entry.bytes);
  std::free(entry.block);
  return true;
}

MemoryCounts Memory::counts() const {
  return {live_bytes_.load(std::memory_order_relaxed), peak_bytes_.load(std::memory_order_relaxed),
          live_blocks_.load(std::memory_order_relaxed)};
}

} // namespace bsgp::runtime
