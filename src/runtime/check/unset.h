// Unset bytes of host variables, by address: ranges that do not touch. All other bytes count as set.
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

  bool any(uintptr_t begin, uint64_t bytes) const { return mayBe(begin, bytes) && anyOfSome(begin, bytes); }
  void set(uintptr_t begin, uint64_t bytes) {
    if (mayBe(begin, bytes))
      setSome(begin, bytes);
  }
  // True if the answers of tellSetFrom do not hold any more, for any address.
  [[nodiscard]] bool unset(uintptr_t begin, uint64_t bytes);
  // Returns how many bytes from there on are set, up to `most`. `forgot`: earlier answers do not count any more.
  uint64_t tellSetFrom(uintptr_t begin, uint64_t most, bool& forgot);
  bool empty() const { return count_.load(std::memory_order_relaxed) == 0; }
  std::vector<Range> within(uintptr_t begin, uint64_t bytes) const;

private:
  // Runs without the lock: host code mostly reaches other memory.
  bool mayBe(uintptr_t begin, uint64_t bytes) const {
    return count_.load(std::memory_order_relaxed) != 0 && begin < high_.load(std::memory_order_relaxed) &&
           begin + bytes > low_.load(std::memory_order_relaxed);
  }
  bool anyOfSome(uintptr_t begin, uint64_t bytes) const;
  void setSome(uintptr_t begin, uint64_t bytes);
  void remove(uintptr_t begin, uintptr_t end);
  std::map<uintptr_t, uintptr_t>::const_iterator firstBehind(uintptr_t address) const;

  mutable std::mutex mutex_;
  std::map<uintptr_t, uintptr_t> ranges_;             // begin -> end
  std::atomic<size_t> count_{0};                      // of them
  std::atomic<uintptr_t> low_{UINTPTR_MAX}, high_{0}; // all ranges there have ever been lie between
  std::vector<Range> told_;                           // answers of tellSetFrom
};

} // namespace bsgp::runtime::check
