// Memory of the emulated device. Device addresses lie in a range that the host cannot touch; the bytes behind them lie
// elsewhere. A table with an entry for each granule says how many of its bytes are allocated, so that every access of a
// kernel is checked to the byte.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>

namespace bsgp::emulator {

// Where the windows of the generic address space begin.
constexpr uint64_t kDeviceBase = 0x2000'0000'0000, kSharedBase = 0x3000'0000'0000, kLocalBase = 0x3100'0000'0000,
                   kParamBase = 0x3200'0000'0000, kSlotBase = 0x3300'0000'0000;
constexpr uint64_t kWindow = uint64_t(1) << 32; // bytes of a window that is not device memory

class DeviceMemory {
public:
  static constexpr uint64_t kGranule = 256;

  explicit DeviceMemory(uint64_t bytes);
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;

  // 0 when there is no room. What is allocated is filled with 0xa5 unless it must read as zero.
  uint64_t allocate(uint64_t bytes, bool zero = false);
  bool release(uint64_t address); // false: nothing begins there
  void releaseAll();
  uint64_t allocated(uint64_t address) const; // bytes of the allocation that begins there, or 0
  uint64_t total() const { return size_; }
  uint64_t used() const { return used_; }
  size_t count() const { return live_.size(); } // allocations

  // Host memory that the device sees at its host address.
  void addPinned(void* address, uint64_t bytes);
  bool removePinned(void* address);
  bool isPinned(const void* address, uint64_t bytes) const;
  size_t pinnedCount() const { return pinned_.size(); }

  // The bytes behind [address, address + bytes), of one granule at most; null where they are not allocated.
  char* find(uint64_t address, uint64_t bytes) const {
    uint64_t offset = address - kDeviceBase;
    if (offset < size_ && offset % kGranule + bytes <= valid_[offset / kGranule])
      return backing_ + offset;
    return findPinned(address, bytes);
  }
  // The same for ranges of any length.
  char* findRange(uint64_t address, uint64_t bytes) const;

private:
  char* findPinned(uint64_t address, uint64_t bytes) const;
  void mark(uint64_t offset, uint64_t bytes, bool live);

  uint64_t size_, used_ = 0;
  char* backing_;
  uint16_t* valid_;                   // bytes of each granule that are allocated, from its beginning
  std::map<uint64_t, uint64_t> free_; // offset -> bytes
  std::map<uint64_t, uint64_t> live_; // offset -> bytes, as asked for
  std::map<uint64_t, uint64_t> pinned_;
};

} // namespace bsgp::emulator
