#include "memory.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <new>
#include <sys/mman.h>

#include "trace.h"

namespace bsgp::emulator {

namespace {

void* reserve(uint64_t bytes, int protection, void* where = nullptr) {
  int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | (where ? MAP_FIXED_NOREPLACE : 0);
  void* address = mmap(where, bytes, protection, flags, -1, 0);
  if (address == MAP_FAILED)
    throw std::bad_alloc();
  return address;
}

// What an allocation takes: whole granules, and one that is never valid between it and the next.
uint64_t taken(uint64_t bytes) {
  constexpr uint64_t granule = DeviceMemory::kGranule;
  return (bytes + granule - 1) / granule * granule + granule;
}

} // namespace

DeviceMemory::DeviceMemory(uint64_t bytes) : size_(bytes / kGranule * kGranule) {
  backing_ = static_cast<char*>(reserve(size_, PROT_READ | PROT_WRITE));
  valid_ = static_cast<uint16_t*>(reserve(size_ / kGranule * sizeof(uint16_t), PROT_READ | PROT_WRITE));
  reserve(size_, PROT_NONE, reinterpret_cast<void*>(kDeviceBase)); // nothing of the host lies there
  free_[kGranule] = size_ - kGranule;
}

void DeviceMemory::mark(uint64_t offset, uint64_t bytes, bool live) {
  for (uint64_t i = 0; i < bytes; i += kGranule)
    valid_[(offset + i) / kGranule] = live ? static_cast<uint16_t>(std::min(kGranule, bytes - i)) : 0;
}

uint64_t DeviceMemory::allocate(uint64_t bytes, bool zero) {
  if (bytes == 0 || bytes > size_)
    return 0;
  uint64_t wanted = taken(bytes);
  auto hole = std::find_if(free_.begin(), free_.end(), [&](auto& entry) { return entry.second >= wanted; });
  if (hole == free_.end())
    return 0;
  auto [offset, room] = *hole;
  free_.erase(hole);
  if (room > wanted)
    free_[offset + wanted] = room - wanted;
  live_[offset] = bytes;
  used_ += wanted;
  mark(offset, bytes, true);
  std::memset(backing_ + offset, zero ? 0 : 0xa5, bytes);
  if (Trace* trace = Trace::get())
    trace->allocated(kDeviceBase + offset, bytes);
  return kDeviceBase + offset;
}

bool DeviceMemory::release(uint64_t address) {
  auto found = live_.find(address - kDeviceBase);
  if (found == live_.end())
    return false;
  auto [offset, bytes] = *found;
  live_.erase(found);
  mark(offset, bytes, false);
  if (Trace* trace = Trace::get()) {
    trace->freed(address);
    return true;
  }
  uint64_t room = taken(bytes);
  used_ -= room;
  if (bytes >= 1 << 20) // gives the pages back
    madvise(backing_ + (offset + 4095) / 4096 * 4096, bytes / 4096 * 4096 - 4096, MADV_DONTNEED);
  auto next = free_.lower_bound(offset);
  if (next != free_.end() && next->first == offset + room) {
    room += next->second;
    next = free_.erase(next);
  }
  if (next != free_.begin() && std::prev(next)->first + std::prev(next)->second == offset)
    std::prev(next)->second += room;
  else
    free_[offset] = room;
  return true;
}

void DeviceMemory::releaseAll() {
  while (!live_.empty())
    release(kDeviceBase + live_.begin()->first);
}

uint64_t DeviceMemory::allocated(uint64_t address) const {
  auto found = live_.find(address - kDeviceBase);
  return found == live_.end() ? 0 : found->second;
}

void DeviceMemory::addPinned(void* address, uint64_t bytes) {
  pinned_[reinterpret_cast<uint64_t>(address)] = bytes;
}

bool DeviceMemory::removePinned(void* address) {
  return pinned_.erase(reinterpret_cast<uint64_t>(address)) > 0;
}

bool DeviceMemory::isPinned(const void* address, uint64_t bytes) const {
  return findPinned(reinterpret_cast<uint64_t>(address), bytes) != nullptr;
}

char* DeviceMemory::findPinned(uint64_t address, uint64_t bytes) const {
  auto after = pinned_.upper_bound(address);
  if (after == pinned_.begin())
    return nullptr;
  auto [begin, size] = *std::prev(after);
  bool inside = address - begin < size && bytes <= size - (address - begin);
  return inside ? reinterpret_cast<char*>(address) : nullptr;
}

char* DeviceMemory::findRange(uint64_t address, uint64_t bytes) const {
  uint64_t offset = address - kDeviceBase;
  auto after = live_.upper_bound(offset);
  if (after == live_.begin())
    return findPinned(address, bytes);
  auto [begin, size] = *std::prev(after);
  if (offset - begin < size && bytes <= size - (offset - begin))
    return backing_ + offset;
  return findPinned(address, bytes);
}

} // namespace bsgp::emulator
