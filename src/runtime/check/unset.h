// What nobody has set of variables of host code, by address: ranges that do not touch. All else counts as set.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

namespace bsgp::runtime::check {

class UnsetRanges {
public:
  using Range = std::pair<uintptr_t, uintptr_t>; // begin, end

  bool any(uintptr_t begin, uint64_t bytes) const {
    return count_.load(std::memory_order_relaxed) != 0 && anyOfSome(begin, bytes);
  }
  void set(uintptr_t begin, uint64_t bytes) {
    if (count_.load(std::memory_order_relaxed) != 0)
      setSome(begin, bytes);
  }
  void unset(uintptr_t begin, uint64_t bytes);
  bool empty() const { return count_.load(std::memory_order_relaxed) == 0; }
  std::vector<Range> within(uintptr_t begin, uint64_t bytes) const;

private:
  bool anyOfSome(uintptr_t begin, uint64_t bytes) const;
  void setSome(uintptr_t begin, uint64_t bytes);
  void remove(uintptr_t begin, uintptr_t end);
  std::map<uintptr_t, uintptr_t>::const_iterator firstBehind(uintptr_t address) const;

  mutable std::mutex mutex_;
  std::map<uintptr_t, uintptr_t> ranges_; // begin -> end
  std::atomic<size_t> count_{0};          // of them
};

} // namespace bsgp::runtime::check
