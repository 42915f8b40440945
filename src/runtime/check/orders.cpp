#include "runtime/check/orders.h"

#include <algorithm>
#include <array>
#include <deque>
#include <iterator>

namespace bsgp::runtime::check {
namespace {

// Events of one search; fewer, when all of a launch have looked at many.
constexpr uint64_t kMostOfASearch = 1 << 16, kFew = 1 << 10, kMany = 1 << 26;

auto firstAfter(const auto& events, uint32_t time) {
  return std::upper_bound(events.begin(), events.end(), time,
                          [](uint32_t wanted, const auto& event) { return wanted < event.time; });
}

} // namespace

// Of all launches: times of earlier ones come before.
uint32_t Orders::tick() {
  static std::atomic<uint32_t> clocks{0};
  uint32_t time = clocks.fetch_add(1, std::memory_order_relaxed) + 1;
  clock_.store(time, std::memory_order_relaxed);
  return time;
}

// What the thread did last has been done.
void Orders::close(int64_t rank) {
  auto open = open_.find(rank);
  if (open == open_.end())
    return;
  blocks_[rank / block_].acquires[open->second].until = now();
  open_.erase(open);
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
  released_[address].push_back({time, rank, address, time});
  blocks_[rank / block_].releases.push_back({time, rank, address, time});
}

void Orders::acquire(int64_t rank, uint64_t address) {
  std::lock_guard lock(mutex_);
  close(rank);
  acquireHere(rank, address, false);
}

// What was acquired before anything was released may have been loaded after it: the call comes before the load.
void Orders::acquireHere(int64_t rank, uint64_t address, bool is_update) {
  uint32_t time = now();
  auto& acquires = blocks_[rank / block_].acquires;
  auto [last, is_new] = acquired_.try_emplace({rank, address}, Known{time, acquires.size()});
  auto released = released_.find(address);
  if (is_new || (released != released_.end() && released->second.back().time > last->second.time)) {
    last->second = {time, acquires.size()};
    acquires.push_back({time, rank, address, kOpen, is_update});
  }
  Acquire& acquire = acquires[last->second.acquire];
  acquire.until = kOpen, acquire.is_update = is_update;
  open_[rank] = last->second.acquire;
}

// Without a fence before it releases nothing. Who has loaded what it leaves has loaded what was there before, too.
void Orders::update(int64_t rank, uint64_t address) {
  if (!now())
    return;
  std::lock_guard lock(mutex_);
  close(rank);
  if (auto fence = fences_.find(rank); fence != fences_.end()) {
    uint32_t time = tick();
    released_[address].push_back({time, rank, address, fence->second});
    blocks_[rank / block_].releases.push_back({time, rank, address, fence->second});
  }
  acquireHere(rank, address, true);
}

void Orders::fence(int64_t rank) {
  std::lock_guard lock(mutex_);
  close(rank);
  fences_[rank] = tick();
}

bool Orders::hasAcquired(int64_t rank, int64_t group) {
  std::lock_guard lock(mutex_);
  auto block = blocks_.find(rank / block_);
  return block != blocks_.end() &&
         std::any_of(block->second.acquires.begin(), block->second.acquires.end(),
                     [&](const Acquire& acquire) { return acquire.rank / group == rank / group; });
}

// Backwards: what `second` acquired, from whom, what those had acquired before, and so on. Releases at `time` and before
// lead to nothing.
class Orders::Search {
public:
  Search(const Orders& orders, int64_t first, uint32_t time, int64_t group, uint64_t most)
      : orders_(orders), first_(first), time_(time), group_(group), most_(most) {
    if (const Block* block = blockOf(first))
      std::copy_if(firstAfter(block->releases, time), block->releases.end(), std::back_inserter(of_first_),
                   [&](const Release& release) { return release.of > time && isWith(release.rank, first); });
  }

  Order from(int64_t second) {
    if (of_first_.empty())
      return Order::None;
    open_.push_back({second, orders_.now(), true});
    while (!open_.empty() && !isOver()) {
      Seen seen = open_.front();
      open_.pop_front();
      look(seen);
    }
    return looked_ < most_ || found_ == Order::Before ? found_ : Order::Unknown;
  }
  uint64_t looked() const { return looked_; }

private:
  struct Seen {
    int64_t rank;
    uint32_t until;
    bool sure;
  };

  bool isOver() const { return found_ == Order::Before || looked_ >= most_; }
  bool isWith(int64_t a, int64_t b) const { return a / group_ == b / group_; }
  const Block* blockOf(int64_t rank) const {
    auto found = orders_.blocks_.find(rank / orders_.block_);
    return found == orders_.blocks_.end() ? nullptr : &found->second;
  }

  void look(const Seen& seen) {
    const Block* block = blockOf(seen.rank);
    if (!block || of_first_.front().time > seen.until)
      return;
    auto acquires = [&](auto&& function) {
      for (auto at = firstAfter(block->acquires, seen.until); at != block->acquires.begin() && !isOver();)
        if (++looked_; isWith((--at)->rank, seen.rank))
          function(*at);
    };
    acquires([&](const Acquire& acquire) { fromFirst(seen, acquire); });
    acquires([&](const Acquire& acquire) { fromOthers(seen, acquire); });
  }

  // What was loaded may have been stored before the acquire, or by a thread that is merely with the one that is meant.
  static bool isSure(const Seen& seen, const Acquire& acquire, const Release& release) {
    return seen.sure && acquire.rank == seen.rank && (release.time <= acquire.time || acquire.is_update);
  }

  void fromFirst(const Seen& seen, const Acquire& acquire) {
    for (const Release& release : of_first_) {
      if (release.time > std::min(seen.until, acquire.until))
        return;
      ++looked_;
      if (release.rank == acquire.rank || release.address != acquire.address)
        continue;
      bool sure = isSure(seen, acquire, release) && release.rank == first_;
      found_ = std::max(found_, sure ? Order::Before : Order::Unknown);
    }
  }

  void fromOthers(const Seen& seen, const Acquire& acquire) {
    auto found = orders_.released_.find(acquire.address);
    if (found == orders_.released_.end())
      return;
    auto end = firstAfter(found->second, time_);
    for (auto at = firstAfter(found->second, std::min(seen.until, acquire.until)); at > end && !isOver();) {
      const Release& release = *--at;
      ++looked_;
      if (release.rank != acquire.rank && release.of > time_)
        add({release.rank, release.of, isSure(seen, acquire, release)});
    }
  }

  // Unless more is known of that thread.
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
  const int64_t group_;
  const uint64_t most_;
  std::vector<Release> of_first_; // releases of its group, since
  Order found_ = Order::None;
  uint64_t looked_ = 0;
  std::deque<Seen> open_;
  std::unordered_map<int64_t, std::array<uint32_t, 2>> until_; // of those seen: how much is known, unsurely and surely
};

Order Orders::before(int64_t first, uint32_t time, int64_t second, int64_t group) {
  std::lock_guard lock(mutex_);
  Search search(*this, first, time, group, searched_ < kMany ? kMostOfASearch : kFew);
  Order found = search.from(second);
  searched_ += search.looked();
  return found;
}

} // namespace bsgp::runtime::check
