#include "runtime/check/shadow.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <new>
#include <sys/mman.h>
#include <utility>
#include <vector>

namespace bsgp::runtime::check {
namespace {

constexpr size_t kMapped = 256 << 10; // larger memory is mapped

unsigned shiftFor(uint64_t aligned) {
  constexpr unsigned kMost = 3;
  return std::min<unsigned>(kMost, unsigned(std::countr_zero(aligned | 8)));
}

// Fails as operator new does.
[[noreturn]] void refused() {
  if (std::new_handler handler = std::get_new_handler())
    handler();
  throw std::bad_alloc();
}

// Copies all entries of `from` to the granules that theirs are divided into. The other planes are written before the
// entry that says that they hold.
RaceShadow* refined(RaceShadow& from, uint64_t bytes, unsigned shift) {
  auto* to = new RaceShadow(bytes, shift);
  unsigned parts = 1u << (from.shift() - shift);
  for (uint64_t i = 0; i < from.count(); ++i) {
    uint64_t words[RaceShadow::kPlanes] = {from[i].exchange(entry::kMoved, std::memory_order_acq_rel)};
    if (!words[0])
      continue;
    for (unsigned plane = 1; plane < RaceShadow::kPlanes; ++plane)
      words[plane] = from.in(RaceShadow::Plane(plane), i).load(std::memory_order_relaxed);
    for (uint64_t part = i * parts; part < std::min(to->count(), (i + 1) * parts); ++part)
      for (unsigned plane = 0; plane < RaceShadow::kPlanes; ++plane)
        if (words[plane])
          to->in(RaceShadow::Plane(plane), part).store(words[plane], std::memory_order_relaxed);
  }
  return to;
}

} // namespace

Zeros::Zeros(size_t bytes) : bytes_(std::max<size_t>(bytes, 64)) {
  if (bytes_ < kMapped) {
    data_ = std::calloc(1, bytes_);
  } else {
    void* mapped = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    data_ = mapped == MAP_FAILED ? nullptr : mapped;
  }
  if (!data_)
    refused();
}

Zeros::~Zeros() {
  if (bytes_ < kMapped)
    std::free(data_);
  else
    munmap(data_, bytes_);
}

void Zeros::clear() {
  if (bytes_ < kMapped)
    std::memset(data_, 0, bytes_);
  else
    madvise(data_, bytes_, MADV_DONTNEED);
}

RaceShadow& Shadows::fitting(std::atomic<RaceShadow*>& slot, uint64_t bytes, uint64_t aligned) {
  std::lock_guard lock(mutex_);
  RaceShadow* found = slot.load(std::memory_order_relaxed);
  unsigned shift = shiftFor(aligned);
  if (found && found->shift() <= shift)
    return *found;
  RaceShadow* made = found ? refined(*found, bytes, shift) : new RaceShadow(bytes, shift);
  if (found)
    dropped_.push_back({newest_, std::shared_ptr<RaceShadow>(found)});
  slot.store(made, std::memory_order_release);
  return *made;
}

RaceShadow& Shadows::larger(std::atomic<RaceShadow*>& slot, uint64_t count) {
  std::lock_guard lock(mutex_);
  RaceShadow* found = slot.load(std::memory_order_relaxed);
  if (found && found->count() >= count)
    return *found;
  constexpr uint64_t kLeast = 1024;
  auto* made = new RaceShadow(std::max(kLeast, 4 * count), 0, 1);
  if (found)
    dropped_.push_back({newest_, std::shared_ptr<RaceShadow>(found)});
  slot.store(made, std::memory_order_release);
  return *made;
}

// If no launch runs, it cannot be in use.
void Shadows::drop(std::shared_ptr<void> what) {
  std::lock_guard lock(mutex_);
  if (!running_.empty())
    dropped_.push_back({newest_, std::move(what)});
}

void Shadows::begin(uint64_t launch) {
  std::lock_guard lock(mutex_);
  running_.insert(launch);
  newest_ = std::max(newest_, launch);
}

void Shadows::end(uint64_t launch) {
  std::vector<Dropped> unused;
  std::lock_guard lock(mutex_);
  running_.erase(launch);
  while (!dropped_.empty() && (running_.empty() || dropped_.front().launch < *running_.begin())) {
    unused.push_back(std::move(dropped_.front()));
    dropped_.pop_front();
  }
}

} // namespace bsgp::runtime::check
