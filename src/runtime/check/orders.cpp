#include "runtime/check/orders.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace bsgp::runtime::check {
namespace {

// limits of the events of one search; kFew once all searches of a launch have looked at kMany
constexpr uint64_t kMostOfASearch = 1 << 16, kFew = 1 << 10, kMany = 1 << 26;

// Returns 0 if there is none.
uint32_t lastUntil(const std::vector<uint32_t>& times, uint32_t until) {
  auto after = std::upper_bound(times.begin(), times.end(), until);
  return after == times.begin() ? 0 : after[-1];
}

} // namespace

// Ticks for all launches: times of earlier ones come before.
uint32_t Orders::tick() {
  static std::atomic<uint32_t> clocks{0};
  uint32_t time = clocks.fetch_add(1, std::memory_order_relaxed) + 1;
  clock_.store(time, std::memory_order_relaxed);
  return time;
}

Orders::Block& Orders::blockOf(int64_t rank) {
  Block& block = blocks_[rank / block_];
  if (block.open.empty())
    block.open.resize(size_t(block_));
  return block;
}

// Notes that the last operation was done: later events come after its release.
void Orders::close(Block& block, Last& last) {
  if (last.acquire != kNone)
    block.acquires[last.acquire].until = now();
  if (last.release != kNone)
    releases_[last.release].until = tick();
  last = {};
}

void Orders::close(int64_t rank) {
  Block& block = blockOf(rank);
  close(block, lastOf(block, rank));
}

void Orders::start() {
  std::lock_guard lock(mutex_);
  if (!now())
    tick();
}

void Orders::release(int64_t rank, uint64_t address) {
  std::lock_guard lock(mutex_);
  close(rank);
  uint32_t time = tick();
  releaseHere(rank, address, time, true);
}

// Releases at the present time.
void Orders::releaseHere(int64_t rank, uint64_t address, uint32_t of, bool is_store) {
  Released& at = released_[address];
  size_t number = releases_.size();
  if (is_store && cuts(at, rank, address))
    at.cuts.push_back(number);
  releases_.push_back({now(), rank, address, of, kOpen});
  at.all.push_back(number);
  Block& block = blockOf(rank);
  block.releases.push_back(number);
  lastOf(block, rank).release = number;
}

bool Orders::cuts(const Released& at, int64_t rank, uint64_t address) const {
  if (at.all.empty())
    return false;
  auto known = acquired_.find({rank, address});
  return known == acquired_.end() || known->second.time < releases_[at.all.back()].time;
}

void Orders::acquire(int64_t rank, uint64_t address) {
  std::lock_guard lock(mutex_);
  close(rank);
  acquireHere(rank, address, false);
}

// A load that acquired before anything was released may have been done after that: the call comes before the load.
void Orders::acquireHere(int64_t rank, uint64_t address, bool is_update) {
  uint32_t time = now();
  Block& block = blockOf(rank);
  auto [known, is_new] = acquired_.try_emplace({rank, address}, Known{time, block.acquires.size()});
  auto released = released_.find(address);
  if (is_new || (released != released_.end() && releases_[released->second.all.back()].time > known->second.time)) {
    known->second = {time, block.acquires.size()};
    block.acquires.push_back({time, rank, address, kOpen, is_update, false});
  } else {
    Acquire& acquire = block.acquires[known->second.acquire];
    acquire.until = kOpen, acquire.is_update = is_update, acquire.is_again = true;
  }
  lastOf(block, rank).acquire = known->second.acquire;
}

// Without a fence before it, it releases nothing. A thread that loads its value has seen the earlier releases, too.
void Orders::update(int64_t rank, uint64_t address) {
  if (!now())
    return;
  std::lock_guard lock(mutex_);
  close(rank);
  if (auto fence = fences_.find(rank); fence != fences_.end()) {
    tick();
    releaseHere(rank, address, fence->second, false);
  }
  acquireHere(rank, address, true);
}

void Orders::fence(int64_t rank) {
  std::lock_guard lock(mutex_);
  close(rank);
  fences_[rank] = tick();
}

void Orders::blockSync(int64_t rank) {
  std::lock_guard lock(mutex_);
  Block& block = blockOf(rank);
  for (Last& last : block.open)
    close(block, last);
  block.syncs.push_back(tick());
}

void Orders::warpSync(int64_t rank) {
  std::lock_guard lock(mutex_);
  int64_t warp = rank % block_ / kWarp, first = rank / block_ * block_ + warp * kWarp;
  for (int64_t of = first; of < std::min(first + kWarp, (rank / block_ + 1) * block_); ++of)
    close(of);
  blockOf(rank).warps[warp].push_back(tick());
}

// Searches backwards: through what `second` acquired, from whom, what those had acquired before, and so on; a sync
// leads to all threads of its block or warp. Releases at `time` and before lead to nothing.
class Orders::Search {
public:
  Search(const Orders& orders, int64_t first, uint32_t time, uint64_t most)
      : orders_(orders), first_(first), time_(time), most_(most) {
    const Block* block = blockOf(first);
    if (!block)
      return;
    for (auto at = firstAfter(block->releases, time); at != block->releases.end(); ++at)
      if (const Release& release = orders_.releases_[*at]; isAfterFirst(release.rank, release.of))
        of_first_.push_back(*at);
  }

  Order from(int64_t second) {
    open_.push_back({second, kOpen, true});
    for (size_t i = 0; i < open_.size() && !isOver(); ++i)
      look(Seen(open_[i]));
    return looked_ < most_ || found_ == Order::Before ? found_ : Order::Unknown;
  }
  uint64_t looked() const { return looked_; }

private:
  // The actions of a thread before a time.
  struct Seen {
    int64_t rank;
    uint32_t until;
    bool sure;
  };

  bool isOver() const { return found_ == Order::Before || looked_ >= most_; }
  const Block* blockOf(int64_t rank) const {
    auto found = orders_.blocks_.find(rank / orders_.block_);
    return found == orders_.blocks_.end() ? nullptr : &found->second;
  }
  int64_t warpOf(int64_t rank) const { return rank % orders_.block_ / kWarp; }
  Numbers::const_iterator firstAfter(const Numbers& numbers, uint32_t time) const {
    return std::upper_bound(numbers.begin(), numbers.end(), time,
                            [this](uint32_t wanted, size_t number) { return wanted < orders_.releases_[number].time; });
  }

  // Returns the time up to which all actions of thread `of` of the same block come before those of `rank` at `until`.
  uint32_t syncedUntil(const Block& block, int64_t of, int64_t rank, uint32_t until) const {
    if (of == rank)
      return until;
    uint32_t synced = lastUntil(block.syncs, until);
    auto warp = warpOf(of) == warpOf(rank) ? block.warps.find(warpOf(of)) : block.warps.end();
    return warp == block.warps.end() ? synced : std::max(synced, lastUntil(warp->second, until));
  }
  // True if the actions of `first` come before those of the thread at that time, without threads of other blocks.
  bool isAfterFirst(int64_t rank, uint32_t until) const {
    const Block* block = blockOf(first_);
    return block && block == blockOf(rank) && syncedUntil(*block, first_, rank, until) > time_;
  }

  void look(const Seen& seen) {
    if (isAfterFirst(seen.rank, seen.until))
      return find(seen.sure);
    const Block* block = blockOf(seen.rank);
    if (!block || of_first_.empty() || orders_.releases_[of_first_.front()].time > seen.until)
      return;
    auto acquires = [&](auto&& function) {
      auto at = std::lower_bound(block->acquires.begin(), block->acquires.end(), seen.until,
                                 [](const Acquire& acquire, uint32_t until) { return acquire.time < until; });
      for (; at != block->acquires.begin() && !isOver(); ++looked_) {
        const Acquire& acquire = *--at;
        uint32_t until = syncedUntil(*block, acquire.rank, seen.rank, seen.until);
        if (acquire.time < until)
          function(acquire, std::min(until, acquire.until));
      }
    };
    acquires([&](const Acquire& acquire, uint32_t until) { fromFirst(seen.sure, acquire, until); });
    acquires([&](const Acquire& acquire, uint32_t until) { fromOthers(seen.sure, acquire, until); });
  }

  void find(bool sure) { found_ = std::max(found_, sure ? Order::Before : Order::Unknown); }

  // Tells whether the acquiring thread saw the release. It may have loaded before that, or another store came
  // between.
  Order sees(const Acquire& acquire, const Released& at, const Release& release, uint32_t until) {
    Order order = release.time <= acquire.time || acquire.is_update ? Order::Before : Order::Unknown;
    for (auto cut = firstAfter(at.cuts, release.time); cut != at.cuts.end() && !isOver(); ++cut) {
      const Release& store = orders_.releases_[*cut];
      if (store.time > until)
        break;
      ++looked_;
      if (release.until < store.time && store.until <= acquire.time)
        return Order::None;
      bool is_told_of =
          store.rank == release.rank || (store.time > acquire.time && (acquire.is_update || acquire.is_again));
      order = is_told_of ? order : Order::Unknown;
    }
    return order;
  }

  void fromFirst(bool sure, const Acquire& acquire, uint32_t until) {
    auto at = orders_.released_.find(acquire.address);
    if (at == orders_.released_.end())
      return;
    for (size_t number : of_first_) {
      const Release& release = orders_.releases_[number];
      if (release.time > until)
        return;
      ++looked_;
      if (release.rank == acquire.rank || release.address != acquire.address)
        continue;
      if (Order order = sees(acquire, at->second, release, until); order != Order::None)
        find(sure && order == Order::Before);
    }
  }

  void fromOthers(bool sure, const Acquire& acquire, uint32_t until) {
    auto found = orders_.released_.find(acquire.address);
    if (found == orders_.released_.end())
      return;
    const Numbers& all = found->second.all;
    auto end = firstAfter(all, time_);
    for (auto at = firstAfter(all, until); at > end && !isOver();) {
      const Release& release = orders_.releases_[*--at];
      ++looked_;
      if (release.rank == acquire.rank || release.of <= time_)
        continue;
      if (Order order = sees(acquire, found->second, release, until); order != Order::None)
        add({release.rank, release.of, sure && order == Order::Before});
    }
  }

  // Adds the thread unless more is known of it.
  void add(const Seen& seen) {
    auto& [unsure, sure] = until_[seen.rank];
    uint32_t& until = seen.sure ? sure : unsure;
    if (std::max(until, sure) >= seen.until)
      return;
    until = seen.until;
    open_.push_back(seen);
  }

  const Orders& orders_;
  const int64_t first_;
  const uint32_t time_;
  const uint64_t most_;
  Numbers of_first_; // releases that may lead to others
  Order found_ = Order::None;
  uint64_t looked_ = 0;
  std::vector<Seen> open_; // in the order in which they were found
  std::unordered_map<int64_t, std::pair<uint32_t, uint32_t>>
      until_; // of the threads seen: the known times, unsure and sure
};

Order Orders::before(int64_t first, uint32_t time, int64_t second) {
  std::lock_guard lock(mutex_);
  Search search(*this, first, time, searched_ < kMany ? kMostOfASearch : kFew);
  Order found = search.from(second);
  searched_ += search.looked();
  return found;
}

bool Orders::isSynced(int64_t first, uint32_t time, int64_t second) {
  std::lock_guard lock(mutex_);
  auto block = blocks_.find(first / block_);
  return areOfOneBlock(first, second) && block != blocks_.end() && lastUntil(block->second.syncs, kOpen) > time;
}

} // namespace bsgp::runtime::check
