#include "runtime/check/orders.h"

#include <algorithm>

namespace bsgp::runtime::check {

// Equal events between two ticks of the clock are one. It ticks with each release, of all launches: times of earlier ones
// come before.
void Orders::add(int64_t rank, uint64_t address, bool releases) {
  std::lock_guard lock(mutex_);
  static std::atomic<uint32_t> clocks{0};
  uint32_t time = releases ? clocks.fetch_add(1, std::memory_order_relaxed) + 1 : now();
  clock_.store(time, std::memory_order_relaxed);
  if (!releases && !known_.emplace(rank, address, releases, time).second)
    return;
  if (events_.size() < kMostEvents)
    events_.push_back({time, rank, address, releases});
}

void Orders::release(int64_t rank, uint64_t address) {
  add(rank, address, true);
}

// What was acquired before anything was released may have been loaded after it: the call comes before the load.
void Orders::acquire(int64_t rank, uint64_t address) {
  add(rank, address, false);
}

void Orders::fence(int64_t rank) {
  add(rank, 0, true);
  add(rank, 0, false);
}

bool Orders::hasAcquired(int64_t rank, int64_t block) {
  std::lock_guard lock(mutex_);
  return std::any_of(events_.begin(), events_.end(),
                     [&](const Event& event) { return !event.releases && event.rank / block == rank / block; });
}

// Backwards: what `second` acquired, from whom, what those had acquired before, and so on.
Order Orders::before(int64_t first, uint32_t time, int64_t second, int64_t block) {
  std::lock_guard lock(mutex_);
  if (events_.size() == kMostEvents)
    return Order::Unknown;
  struct Seen {
    int64_t rank;
    uint32_t until;
    bool sure;
  };
  std::vector<Seen> open{{second, now(), true}};
  Order found = Order::None;
  for (size_t at = 0; at < open.size() && found != Order::Before; ++at)
    for (const Event& acquire : events_) {
      Seen seen = open[at];
      if (acquire.releases || acquire.time > seen.until || acquire.rank / block != seen.rank / block)
        continue;
      bool own = acquire.rank == seen.rank;
      for (const Event& release : events_) {
        if (!release.releases || release.time > seen.until || release.rank == acquire.rank ||
            (release.address != acquire.address && release.address && acquire.address))
          continue;
        bool sure = seen.sure && own && release.time <= acquire.time && release.address && acquire.address;
        if (release.rank / block == first / block && release.time > time)
          found = std::max(found, sure && release.rank == first ? Order::Before : Order::Unknown);
        bool is_new = std::none_of(open.begin(), open.end(), [&](const Seen& other) {
          return other.rank == release.rank && other.until >= release.time && other.sure >= sure;
        });
        if (is_new)
          open.push_back({release.rank, release.time, sure});
      }
    }
  return found;
}

} // namespace bsgp::runtime::check
