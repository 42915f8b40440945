// Race entries of each granule of an allocation, mapped as they are used.
//
// An entry is one word: epoch (of the launch), state (race_state.h), number of a site, rank of the owner. Entries of
// other launches count as empty. Other planes have further accesses of a granule, if there are any. The granule is
// the largest that no access so far has divided; when a finer one comes, the entries are written anew for smaller
// granules: each was of all of its bytes, so nothing is lost.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <set>

namespace bsgp::runtime::check {

// Zeros; large ones take memory as they are written.
class Zeros {
public:
  explicit Zeros(size_t bytes);
  ~Zeros();
  Zeros(const Zeros&) = delete;
  Zeros& operator=(const Zeros&) = delete;
  void* data() const { return data_; }
  size_t bytes() const { return bytes_; }
  void clear();

private:
  void* data_ = nullptr;
  size_t bytes_;
};

class RaceShadow {
public:
  // The planes of each granule: its entry, and two further accesses, also as entries: one of another thread than the
  // owner, and a plain read by the owner (race_state.h). The entry tells whether they hold.
  enum Plane { kEntries, kOthers, kReads, kPlanes };

  // `shift`: a granule has 1 << shift bytes. `planes`: the number of planes, the first ones.
  RaceShadow(uint64_t bytes, unsigned shift, unsigned planes = kPlanes)
      : shift_(shift), count_((bytes + (uint64_t(1) << shift) - 1) >> shift),
        memory_(count_ * planes * sizeof(uint64_t)) {}
  unsigned shift() const { return shift_; }
  uint64_t count() const { return count_; }
  std::atomic<uint64_t>& operator[](uint64_t granule) const {
    return static_cast<std::atomic<uint64_t>*>(memory_.data())[granule];
  }
  std::atomic<uint64_t>& in(Plane plane, uint64_t granule) const { return (*this)[plane * count_ + granule]; }
  void clear() { memory_.clear(); }

private:
  unsigned shift_;
  uint64_t count_;
  Zeros memory_;
};

// The parts of an entry.
namespace entry {

constexpr unsigned kPlaceBits = 45, kStateBits = 5, kEpochBits = 14;
static_assert(kPlaceBits + kStateBits + kEpochBits == 64);
constexpr uint64_t kMoved = UINT64_MAX; // the shadow is being written anew
constexpr uint32_t kEpochs = (1u << kEpochBits) - 2;

inline uint32_t epochOf(uint64_t e) {
  return uint32_t(e >> (kPlaceBits + kStateBits));
}
inline uint8_t stateOf(uint64_t e) {
  return uint8_t(e >> kPlaceBits & ((1u << kStateBits) - 1));
}
inline uint64_t withState(uint64_t e, uint8_t state) {
  return (e & ~(uint64_t((1u << kStateBits) - 1) << kPlaceBits)) | uint64_t(state) << kPlaceBits;
}

// The ranks of a launch take as many bits as they need; the numbers of its sites have the others. So a launch of a
// billion threads can name 32,767 of its sites, and one of a million 30 million.
class Layout {
public:
  Layout() = default;
  explicit Layout(int64_t threads)
      : rank_bits_(std::clamp<unsigned>(unsigned(std::bit_width(uint64_t(threads))), 1, kPlaceBits - 1)),
        ranks_((uint64_t(1) << rank_bits_) - 1) {}
  uint64_t make(uint32_t epoch, uint8_t state, uint64_t site, int64_t rank) const {
    return uint64_t(epoch) << (kPlaceBits + kStateBits) | uint64_t(state) << kPlaceBits | site << rank_bits_ |
           uint64_t(rank);
  }
  uint64_t siteOf(uint64_t e) const { return (e & ((uint64_t(1) << kPlaceBits) - 1)) >> rank_bits_; }
  int64_t rankOf(uint64_t e) const { return int64_t(e & ranks_); }
  unsigned rankBits() const { return rank_bits_; }
  uint64_t sites() const { return uint64_t(1) << (kPlaceBits - rank_bits_); } // numbers below

private:
  unsigned rank_bits_ = kPlaceBits - 1;
  uint64_t ranks_ = (uint64_t(1) << (kPlaceBits - 1)) - 1;
};

} // namespace entry

// The present shadow of an allocation: it is made at the first access, and replaced by a finer one. A replaced or
// dropped one is deleted when all launches have ended that may be using it.
class Shadows {
public:
  // A launch begins; it ends. Later ones have higher numbers.
  void begin(uint64_t launch);
  void end(uint64_t launch);
  RaceShadow& get(std::atomic<RaceShadow*>& slot, uint64_t bytes, uint64_t offset, uint64_t size) {
    RaceShadow* found = slot.load(std::memory_order_acquire);
    if (found && ((offset | size) & ((uint64_t(1) << found->shift()) - 1)) == 0) [[likely]]
      return *found;
    return fitting(slot, bytes, offset | size);
  }
  // Returns one of `count` bytes or more, whose granules are bytes; a larger one begins empty.
  RaceShadow& ofAtLeast(std::atomic<RaceShadow*>& slot, uint64_t count) {
    RaceShadow* found = slot.load(std::memory_order_acquire);
    return found && found->count() >= count ? *found : larger(slot, count);
  }
  template <class T> void drop(std::atomic<T*>& slot) {
    if (T* found = slot.exchange(nullptr))
      drop(std::shared_ptr<void>(std::shared_ptr<T>(found)));
  }

private:
  struct Dropped {
    uint64_t launch; // the newest launch that may use it
    std::shared_ptr<void> what;
  };
  void drop(std::shared_ptr<void> what);
  RaceShadow& fitting(std::atomic<RaceShadow*>& slot, uint64_t bytes, uint64_t aligned);
  RaceShadow& larger(std::atomic<RaceShadow*>& slot, uint64_t count);
  std::mutex mutex_;
  std::set<uint64_t> running_;
  uint64_t newest_ = 0;
  std::deque<Dropped> dropped_;
};

} // namespace bsgp::runtime::check
