#include "runtime/check/unset.h"

#include <algorithm>

namespace bsgp::runtime::check {

// Under the lock, as all below: the first range that ends behind the address.
std::map<uintptr_t, uintptr_t>::const_iterator UnsetRanges::firstBehind(uintptr_t address) const {
  auto at = ranges_.upper_bound(address);
  return at != ranges_.begin() && std::prev(at)->second > address ? std::prev(at) : at;
}

void UnsetRanges::remove(uintptr_t begin, uintptr_t end) {
  for (auto at = firstBehind(begin); at != ranges_.end() && at->first < end;) {
    Range old = *at;
    at = ranges_.erase(at);
    if (old.first < begin)
      ranges_[old.first] = begin;
    if (old.second > end)
      ranges_[end] = old.second;
  }
}

bool UnsetRanges::anyOfSome(uintptr_t begin, uint64_t bytes) const {
  std::lock_guard lock(mutex_);
  auto at = firstBehind(begin);
  return at != ranges_.end() && at->first < begin + bytes;
}

void UnsetRanges::setSome(uintptr_t begin, uint64_t bytes) {
  std::lock_guard lock(mutex_);
  remove(begin, begin + bytes);
  count_.store(ranges_.size(), std::memory_order_relaxed);
}

bool UnsetRanges::unset(uintptr_t begin, uint64_t bytes) {
  if (bytes == 0)
    return false;
  std::lock_guard lock(mutex_);
  uintptr_t end = begin + bytes;
  bool was_told = std::ranges::any_of(told_, [&](const Range& one) { return one.first < end && begin < one.second; });
  if (was_told)
    told_.clear();
  low_.store(std::min(low_.load(std::memory_order_relaxed), begin), std::memory_order_relaxed);
  high_.store(std::max(high_.load(std::memory_order_relaxed), end), std::memory_order_relaxed);
  remove(begin, end);
  auto behind = ranges_.find(end);
  if (behind != ranges_.end()) {
    end = behind->second;
    ranges_.erase(behind);
  }
  auto before = ranges_.lower_bound(begin);
  if (before != ranges_.begin() && std::prev(before)->second == begin)
    std::prev(before)->second = end;
  else
    ranges_[begin] = end;
  count_.store(ranges_.size(), std::memory_order_relaxed);
  return was_told;
}

uint64_t UnsetRanges::tellSetFrom(uintptr_t begin, uint64_t most, bool& forgot) {
  constexpr size_t kMostTold = 64;
  std::lock_guard lock(mutex_);
  for (const Range& one : told_)
    if (one.first <= begin && begin < one.second)
      return one.second - begin;
  auto at = firstBehind(begin);
  uintptr_t end = at == ranges_.end() ? begin + most : std::clamp(at->first, begin, begin + most);
  if (end == begin)
    return 0;
  forgot = told_.size() == kMostTold;
  if (forgot)
    told_.clear();
  told_.emplace_back(begin, end);
  return end - begin;
}

std::vector<UnsetRanges::Range> UnsetRanges::within(uintptr_t begin, uint64_t bytes) const {
  std::vector<Range> found;
  uintptr_t end = begin + bytes;
  std::lock_guard lock(mutex_);
  for (auto at = firstBehind(begin); at != ranges_.end() && at->first < end; ++at)
    found.emplace_back(std::max(at->first, begin), std::min(at->second, end));
  return found;
}

} // namespace bsgp::runtime::check
