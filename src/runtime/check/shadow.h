// What is remembered of each granule of an allocation: race entries, mapped where they are used.
//
// An entry is one word: epoch (of the launch), state (race_state.h), number of a site, rank of the owner. Entries of
// other launches count as empty. The granule is the largest that no access so far has split; when a finer one comes, the
// entries are written anew for smaller granules: each was of all of its bytes, so nothing is lost.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

namespace bsgp::runtime::check {

// Zeros; large ones take memory where they are written.
class Zeros {
public:
  explicit Zeros(size_t bytes);
  ~Zeros();
  Zeros(const Zeros&) = delete;
  Zeros& operator=(const Zeros&) = delete;
  void* data() const { return data_; }
  void clear();

private:
  void* data_ = nullptr;
  size_t bytes_;
};

class RaceShadow {
public:
  // `shift`: a granule has 1 << shift bytes.
  RaceShadow(uint64_t bytes, unsigned shift)
      : shift_(shift), count_((bytes + (uint64_t(1) << shift) - 1) >> shift), memory_(count_ * sizeof(uint64_t)) {}
  unsigned shift() const { return shift_; }
  uint64_t count() const { return count_; }
  std::atomic<uint64_t>& operator[](uint64_t granule) const {
    return static_cast<std::atomic<uint64_t>*>(memory_.data())[granule];
  }
  void clear() { memory_.clear(); }

private:
  unsigned shift_;
  uint64_t count_;
  Zeros memory_;
};

// The parts of an entry.
namespace entry {

constexpr unsigned kRankBits = 34, kSiteBits = 11, kStates = 5, kEpochBits = 14;
static_assert(kRankBits + kSiteBits + kStates + kEpochBits == 64);
constexpr uint64_t kMoved = UINT64_MAX; // the shadow is being written anew
constexpr uint32_t kEpochs = (1u << kEpochBits) - 2;

inline uint64_t make(uint32_t epoch, uint8_t state, uint32_t site, uint64_t rank) {
  return uint64_t(epoch) << 50 | uint64_t(state) << 45 | uint64_t(site) << 34 | rank;
}
inline uint32_t epochOf(uint64_t e) {
  return uint32_t(e >> 50);
}
inline uint8_t stateOf(uint64_t e) {
  return uint8_t(e >> 45 & 31);
}
inline uint32_t siteOf(uint64_t e) {
  return uint32_t(e >> 34 & 2047);
}
inline uint64_t rankOf(uint64_t e) {
  return e & ((uint64_t(1) << kRankBits) - 1);
}

} // namespace entry

// The shadow of an allocation, as it is now: made when it is first asked for, replaced by a finer one. What is replaced
// or dropped is deleted later, when nobody can be using it.
class Shadows {
public:
  RaceShadow& get(std::atomic<RaceShadow*>& slot, uint64_t bytes, uint64_t offset, uint64_t size) {
    RaceShadow* found = slot.load(std::memory_order_acquire);
    if (found && ((offset | size) & ((uint64_t(1) << found->shift()) - 1)) == 0) [[likely]]
      return *found;
    return fitting(slot, bytes, offset | size);
  }
  // One of `count` bytes or more, whose granules are bytes; a larger one forgets what was there.
  RaceShadow& ofAtLeast(std::atomic<RaceShadow*>& slot, uint64_t count) {
    RaceShadow* found = slot.load(std::memory_order_acquire);
    return found && found->count() >= count ? *found : larger(slot, count);
  }
  template <class T> void drop(std::atomic<T*>& slot) {
    std::lock_guard lock(mutex_);
    if (T* found = slot.exchange(nullptr))
      dropped_.push_back(std::shared_ptr<T>(found));
  }
  void deleteDropped(); // when no launch runs

private:
  RaceShadow& fitting(std::atomic<RaceShadow*>& slot, uint64_t bytes, uint64_t aligned);
  RaceShadow& larger(std::atomic<RaceShadow*>& slot, uint64_t count);
  std::mutex mutex_;
  std::vector<std::shared_ptr<void>> dropped_;
};

} // namespace bsgp::runtime::check
