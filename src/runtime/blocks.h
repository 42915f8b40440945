// Memory of a device that is the host: big blocks are asked for in huge pages, freed blocks are kept by size, so that
// the streams of one spawn take the pages of the one before instead of faulting new ones. A big block may be given out
// for up to half as much, and a new one takes the pages of smaller ones that lie idle.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace bsgp::runtime {

class BlockCache {
public:
  // In front of each block and behind it, bytes that may be read and written. The heap's own data are further away.
  static constexpr size_t kMargin = 256;

  explicit BlockCache(size_t cache_bytes); // 0: a quarter of the memory this process may use
  ~BlockCache() { trim(); }
  BlockCache(const BlockCache&) = delete;
  BlockCache& operator=(const BlockCache&) = delete;

  void* take(size_t bytes);             // null when there is no memory
  void give(void* block, size_t bytes); // `bytes` as it was taken
  size_t cached() const { return cached_.load(std::memory_order_relaxed); }
  void trim(); // gives all that is cached back to the system

private:
  // Four classes to each power of two from 256 bytes on. A slot holds one free block; taking and giving are one
  // exchange. There are as many slots as iterations of a loop have streams of one size: further ones come from the
  // system each time.
  static constexpr unsigned kClassesToTwice = 4, kClasses = kClassesToTwice * 40, kSlots = 32;
  using Slots = std::array<std::atomic<void*>, kSlots>;

  static unsigned classOf(size_t bytes);
  static unsigned classOfTaken(void* block, size_t bytes);
  static size_t sizeOf(unsigned size_class);
  static unsigned mostLarger(unsigned size_class);
  void* cachedOf(unsigned size_class);
  void* fresh(unsigned size_class);
  bool joinIdle(char* to, unsigned size_class);
  void keep(void* block, unsigned size_class);

  std::array<Slots, kClasses> slots_{};
  std::atomic<size_t> cached_{0}, taken_{0}; // bytes
  size_t cache_limit_, memory_limit_;
};

} // namespace bsgp::runtime
