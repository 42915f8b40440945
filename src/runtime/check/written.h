// Notes which bytes were written: a bit for each byte, of allocations and of a running block's own memory.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "runtime/check/block_races.h"
#include "runtime/check/shadow.h"

namespace bsgp::runtime::check {

// The written-bits of an allocation, at first all 0.
class WrittenBytes {
public:
  explicit WrittenBytes(uint64_t bytes) : memory_((bytes + 63) / 64 * sizeof(uint64_t) + sizeof(uint64_t)) {}
  uint64_t bytesOfBits() const { return memory_.bytes(); }
  // Words for a device that has a copy of them: its changes are made here, too.
  void changed(const uint64_t* before, const uint64_t* after);
  const void* bits() const { return memory_.data(); } // readers may read past the end

  bool all(uint64_t offset, uint64_t bytes) const {
    bool whole = true;
    forWords(offset, bytes, [&](std::atomic<uint64_t>& word, uint64_t mask) {
      whole &= (word.load(std::memory_order_relaxed) & mask) == mask;
    });
    return whole;
  }
  bool none(uint64_t offset, uint64_t bytes) const {
    uint64_t some = 0;
    forWords(offset, bytes,
             [&](std::atomic<uint64_t>& word, uint64_t mask) { some |= word.load(std::memory_order_relaxed) & mask; });
    return some == 0;
  }
  void set(uint64_t offset, uint64_t bytes, bool written) {
    forWords(offset, bytes, [&](std::atomic<uint64_t>& word, uint64_t mask) {
      uint64_t wanted = written ? mask : 0;
      if ((word.load(std::memory_order_relaxed) & mask) == wanted) [[likely]]
        return;
      written ? word.fetch_or(mask, std::memory_order_relaxed) : word.fetch_and(~mask, std::memory_order_relaxed);
      if (!written)
        first_.store(0, std::memory_order_relaxed);
    });
  }
  // Marks the bytes from the begin on. It does no work if nothing changes: a C function may get a pointer to large
  // memory in a loop.
  void setFirst(uint64_t bytes) {
    if (first_.load(std::memory_order_relaxed) >= bytes)
      return;
    first_.store(bytes, std::memory_order_relaxed); // before the bits: bytes that become unwritten meanwhile undo it
    set(0, bytes, true);
  }
  // Visits ranges of unwritten bytes, relative to the offset.
  template <class Function> void forUnwritten(uint64_t offset, uint64_t bytes, const Function& function) const {
    for (uint64_t at = 0; at < bytes;) {
      uint64_t step = bytes - at < 64 ? bytes - at : 64, begin = at;
      if (all(offset + at, step)) {
        at += step;
        continue;
      }
      while (all(offset + begin, 1))
        ++begin;
      for (at = begin + 1; at < bytes && !all(offset + at, 1);)
        ++at;
      function(begin, at - begin);
    }
  }
  // Copies the bits of `from`; the ranges may overlap.
  void copy(uint64_t offset, const WrittenBytes& from, uint64_t from_offset, uint64_t bytes);

private:
  template <class Function> void forWords(uint64_t offset, uint64_t bytes, const Function& function) const {
    auto* words = static_cast<std::atomic<uint64_t>*>(memory_.data());
    for (uint64_t end = offset + bytes; offset < end;) {
      uint64_t first = offset % 64, count = end - offset < 64 - first ? end - offset : 64 - first;
      function(words[offset / 64], (count == 64 ? ~uint64_t(0) : (uint64_t(1) << count) - 1) << first);
      offset += count;
    }
  }
  Zeros memory_;
  std::atomic<uint64_t> first_{0}; // the first bytes that are all written
};

// The written-bits of shared memory and of threads' arrays, by address: until the worker runs another block. Bytes of
// a thread's array become another's once another thread reaches that address.
class BlockWritten {
public:
  static constexpr int64_t kAll = -1; // of no thread: shared
  void enter(BlockId block);
  bool all(uintptr_t address, uint64_t bytes, int64_t thread);
  void set(uintptr_t address, uint64_t bytes, int64_t thread, bool written);

private:
  struct Entry {
    uintptr_t eight = 0; // bytes, by address
    uint64_t stamp = 0;
    int64_t thread = 0;
    uint8_t mask = 0;
  };
  struct SharedEntry {
    uintptr_t line = 0; // 64 bytes, by address
    uint64_t stamp = 0, mask = 0;
  };
  Entry& at(uintptr_t eight, int64_t thread);
  void grow();
  SharedEntry& sharedAt(uintptr_t line);
  void growShared();

  BlockId block_;
  uint64_t stamp_ = 1, used_ = 0;
  uint64_t shared_used_ = 0;
  std::vector<Entry> entries_ = std::vector<Entry>(256);
  std::vector<SharedEntry> shared_ = std::vector<SharedEntry>(256);
};

} // namespace bsgp::runtime::check
