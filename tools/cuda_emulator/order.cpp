#include "order.h"

#include <algorithm>

namespace bsgp::emulator {

void Order::begin(uint64_t warps_of_block) {
  warps_ = warps_of_block;
  released_.assign(1, {});
  places_.clear();
  acquired_.clear();
}

bool Order::precedes(const Moment& then, const Moment& now) const {
  if (then.warp == now.warp)
    return then.barriers < now.barriers || (then.barriers == now.barriers && then.releases <= now.releases);
  return blockOf(then) == blockOf(now) && then.barriers < now.barriers;
}

void Order::acquire(Past& past, const Moment& now, uint32_t what) {
  if (past.acquired.insert(what).second)
    acquired_[blockOf(now)].push_back({now, what});
}

void Order::access(Past& past, const Moment& now, uint64_t key, Access kind, uint32_t how) {
  std::lock_guard lock(mutex_);
  uint32_t& place = places_[key];
  if (kind != Access::store && place && (how & Semantics::kAcquire))
    acquire(past, now, place);
  else if (kind != Access::store && place && (past.seen.empty() || past.seen.back() != place))
    past.seen.push_back(place);
  if (kind == Access::load)
    return;
  bool releases = how & Semantics::kRelease;
  if (kind == Access::store)
    place = 0;
  if (!releases && !past.fenced)
    return;
  uint32_t until = releases ? now.releases : past.fenced - 1;
  released_.push_back({{now.warp, now.barriers, until}, place});
  place = static_cast<uint32_t>(released_.size() - 1);
  past.releases += releases;
}

// It acquires what was read before it, and what is stored after it releases what was done before it.
void Order::fence(Past& past, const Moment& now) {
  std::lock_guard lock(mutex_);
  for (uint32_t what : std::exchange(past.seen, {}))
    acquire(past, now, what);
  past.fenced = 1 + past.releases++;
}

bool Order::isBefore(const Moment& then, Past& past, const Moment& now) {
  if (precedes(then, now))
    return true;
  auto at = std::pair(then.barriers, then.releases);
  auto known = past.before.find(then.warp);
  if (known != past.before.end() && at <= known->second)
    return true;
  std::lock_guard lock(mutex_);
  if (!search(then, now))
    return false;
  past.before[then.warp] = at;
  return true;
}

// Goes back from `now` over what had been acquired by then to who had released it, and on from there.
bool Order::search(const Moment& then, const Moment& now) const {
  std::vector<Moment> open{now};
  std::unordered_set<uint32_t> visited;
  for (size_t next = 0; next < open.size(); ++next) { // the nearest first
    Moment moment = open[next];
    auto found = acquired_.find(blockOf(moment));
    if (found == acquired_.end())
      continue;
    for (const Acquired& acquired : found->second) {
      if (!precedes(acquired.at, moment))
        continue;
      for (uint32_t what = acquired.what; what && visited.insert(what).second; what = released_[what].rest) {
        if (precedes(then, released_[what].by))
          return true;
        open.push_back(released_[what].by);
      }
    }
  }
  return false;
}

} // namespace bsgp::emulator
