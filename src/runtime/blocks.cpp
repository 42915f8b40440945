#include "runtime/blocks.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <sys/mman.h>

#include "runtime/machine.h"

namespace bsgp::runtime {
namespace {

constexpr size_t kAlign = 256, kHuge = size_t(2) << 20, kPage = 4096;
constexpr size_t kBehind = kPage; // bytes behind small blocks: short runs past the end do not reach the heap's data
static_assert(BlockCache::kMargin % kAlign == 0 && BlockCache::kMargin <= kPage);

// Huge pages need addresses aligned to them: map one more and cut off both ends, but for a page on each side.
void* mapHuge(size_t bytes) {
  size_t mapped_bytes = bytes + kHuge + 2 * kPage;
  void* mapped = mmap(nullptr, mapped_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED)
    return nullptr;
  auto begin = uintptr_t(mapped), at = (begin + kPage + kHuge - 1) & ~(kHuge - 1);
  uintptr_t kept = at - kPage, kept_end = at + bytes + kPage, end = begin + mapped_bytes;
  if (kept > begin)
    munmap(mapped, kept - begin);
  if (end > kept_end)
    munmap(reinterpret_cast<void*>(kept_end), end - kept_end);
  auto* block = reinterpret_cast<void*>(at);
  madvise(block, bytes, MADV_HUGEPAGE);
  return block;
}

void* fromSystem(size_t bytes) {
  if (bytes >= kHuge)
    return mapHuge(bytes);
  void* memory = std::aligned_alloc(kAlign, BlockCache::kMargin + bytes + kBehind);
  return memory ? static_cast<char*>(memory) + BlockCache::kMargin : nullptr;
}

void toSystem(void* block, size_t bytes) {
  if (bytes >= kHuge)
    munmap(static_cast<char*>(block) - kPage, bytes + 2 * kPage);
  else
    std::free(static_cast<char*>(block) - BlockCache::kMargin);
}

// At the beginning of the page in front of a large block: its class, which may be larger than the request.
struct Note {
  unsigned size_class;
  unsigned joined; // 1: its pages come from several mappings, which cannot be moved at once
};
Note& noteOf(void* block) {
  return *reinterpret_cast<Note*>(static_cast<char*>(block) - kPage);
}

// Moves the pages of an idle block over those at `to`, which are untouched. Another thread may map other memory at
// their old place at once.
void movePages(void* idle, size_t bytes, void* to) {
  if (mremap(idle, bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, to) != to) {
    toSystem(idle, bytes);
    if (mmap(to, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != to)
      std::abort(); // it may have been unmapped before it failed
    return;
  }
  munmap(static_cast<char*>(idle) - kPage, kPage);
  munmap(static_cast<char*>(idle) + bytes, kPage);
}

} // namespace

BlockCache::BlockCache(size_t cache_bytes)
    : cache_limit_(cache_bytes ? cache_bytes : usableMemory() / 4), memory_limit_(usableMemory()) {}

// Class 4*k + j holds 256 * 2^k * (1 + j/4) bytes, rounded up to whole 256 bytes or huge pages.
size_t BlockCache::sizeOf(unsigned size_class) {
  size_t power = kAlign << (size_class / 4);
  size_t bytes = power + power / 4 * (size_class % 4);
  size_t grain = bytes >= kHuge ? kHuge : kAlign;
  return (bytes + grain - 1) & ~(grain - 1);
}

// A large block may be up to twice as large as the request: its pages are there, and those of a new one would have to
// be cleared. A loop whose iterations have more and fewer threads asks for other sizes each time.
unsigned BlockCache::mostLarger(unsigned size_class) {
  return sizeOf(size_class) >= kHuge ? kClassesToTwice : 0;
}

unsigned BlockCache::classOf(size_t bytes) {
  if (bytes <= kAlign)
    return 0;
  unsigned power = std::bit_width((bytes - 1) / kAlign) - 1;
  size_t quarter = (kAlign << power) / 4;
  return power * 4 + unsigned((bytes - (kAlign << power) + quarter - 1) / quarter);
}

void* BlockCache::cachedOf(unsigned size_class) {
  for (auto& slot : slots_[size_class])
    if (slot.load(std::memory_order_relaxed))
      if (void* block = slot.exchange(nullptr, std::memory_order_acquire)) {
        cached_.fetch_sub(sizeOf(size_class), std::memory_order_relaxed);
        taken_.fetch_add(sizeOf(size_class), std::memory_order_relaxed);
        return block;
      }
  return nullptr;
}

void* BlockCache::take(size_t bytes) {
  if (bytes > memory_limit_)
    return nullptr;
  unsigned size_class = classOf(bytes), largest = std::min(size_class + mostLarger(size_class), kClasses - 1);
  for (unsigned other = size_class; other <= largest; ++other)
    if (void* block = cachedOf(other))
      return block;
  return fresh(size_class);
}

void* BlockCache::fresh(unsigned size_class) {
  size_t bytes = sizeOf(size_class);
  if (taken_.load(std::memory_order_relaxed) + cached() + bytes > memory_limit_)
    trim(); // idle memory must not be the reason why memory runs out
  void* block = fromSystem(bytes);
  if (!block) {
    trim();
    block = fromSystem(bytes);
  }
  if (!block)
    return nullptr;
  taken_.fetch_add(bytes, std::memory_order_relaxed);
  if (bytes >= kHuge)
    noteOf(block) = {size_class, unsigned(joinIdle(static_cast<char*>(block), size_class))};
  return block;
}

// Idle large blocks give their pages to a new one, the largest first: clearing pages takes much longer than moving
// them.
bool BlockCache::joinIdle(char* to, unsigned size_class) {
  char* end = to + sizeOf(size_class);
  bool joined = false;
  while (size_class-- && sizeOf(size_class) >= kHuge)
    for (auto& slot : slots_[size_class]) {
      size_t bytes = sizeOf(size_class);
      if (bytes > size_t(end - to) || !slot.load(std::memory_order_relaxed))
        continue;
      if (void* idle = slot.exchange(nullptr, std::memory_order_acquire)) {
        cached_.fetch_sub(bytes, std::memory_order_relaxed);
        if (noteOf(idle).joined) {
          keep(idle, size_class);
          continue;
        }
        movePages(idle, bytes, to);
        joined = true;
        to += bytes;
      }
    }
  return joined;
}

// A program may have overwritten the note, far in front of its memory: then the block is taken to be as large as the
// request.
unsigned BlockCache::classOfTaken(void* block, size_t bytes) {
  unsigned asked = classOf(bytes), most = mostLarger(asked);
  if (most == 0)
    return asked;
  unsigned noted = noteOf(block).size_class;
  return noted >= asked && noted <= asked + most ? noted : asked;
}

void BlockCache::give(void* block, size_t bytes) {
  unsigned size_class = classOfTaken(block, bytes);
  taken_.fetch_sub(sizeOf(size_class), std::memory_order_relaxed);
  keep(block, size_class);
}

void BlockCache::keep(void* block, unsigned size_class) {
  size_t size = sizeOf(size_class);
  if (cached_.fetch_add(size, std::memory_order_relaxed) + size <= cache_limit_)
    for (auto& slot : slots_[size_class]) {
      void* empty = nullptr;
      if (!slot.load(std::memory_order_relaxed) &&
          slot.compare_exchange_strong(empty, block, std::memory_order_release, std::memory_order_relaxed))
        return;
    }
  cached_.fetch_sub(size, std::memory_order_relaxed);
  toSystem(block, size);
}

void BlockCache::trim() {
  for (unsigned size_class = 0; size_class < kClasses; ++size_class)
    for (auto& slot : slots_[size_class])
      if (void* block = slot.exchange(nullptr, std::memory_order_acquire)) {
        cached_.fetch_sub(sizeOf(size_class), std::memory_order_relaxed);
        toSystem(block, sizeOf(size_class));
      }
}

} // namespace bsgp::runtime
