#include "runtime/check/unset_copies.h"

#include <algorithm>

namespace bsgp::runtime::check {

void UnsetCopies::addRange(std::map<uint64_t, uint64_t>& ranges, uint64_t begin, uint64_t end) {
  auto next = ranges.upper_bound(begin);
  if (next != ranges.begin() && std::prev(next)->second >= begin)
    --next, begin = next->first, end = std::max(end, next->second);
  else if (ranges.size() == kMostRanges)
    return;
  while (next != ranges.end() && next->first <= end) {
    end = std::max(end, next->second);
    next = ranges.erase(next);
  }
  ranges[begin] = end;
}

void UnsetCopies::add(const Allocation& memory, uint64_t offset, uint64_t bytes, const bsgp_site* at) {
  if (!at || !at->file || at->of_library)
    return;
  std::lock_guard lock(mutex_);
  std::vector<Copies>& all = of_[memory.serial];
  auto known = std::ranges::find(all, at, &Copies::site);
  if (known == all.end())
    known = all.insert(all.end(), {at, placeOf(at), {}});
  addRange(known->ranges, offset, offset + bytes);
}

std::vector<Place> UnsetCopies::of(const Allocation& memory, uint64_t offset) const {
  std::vector<Place> places;
  std::lock_guard lock(mutex_);
  auto all = of_.find(memory.serial);
  if (all == of_.end())
    return places;
  for (const Copies& copies : all->second) {
    auto next = copies.ranges.upper_bound(offset);
    if (next != copies.ranges.begin() && std::prev(next)->second > offset)
      places.push_back(copies.at);
  }
  return places;
}

} // namespace bsgp::runtime::check
