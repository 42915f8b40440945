// Hash tables without an allocation for each entry: graphs are looked through in microseconds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace bsgp::arrays {

inline uint64_t mixed(uint64_t hash, uint64_t part) {
  hash = (hash ^ part) * 0x9E3779B97F4A7C15u;
  return hash ^ hash >> 29;
}

// Numbers of things that live elsewhere, found by their hash.
class FlatIndex {
public:
  // The number of the thing with this hash that `isIt(number)` holds for; else `next` is put in, and returned.
  template <class IsIt> int32_t findOrAdd(uint64_t hash, int32_t next, const IsIt& isIt) {
    if (2 * (used_ + 1) > entries_.size())
      grow();
    Entry& entry = find(hash, isIt);
    if (entry.number < 0)
      entry = {hash, next}, ++used_;
    return entry.number;
  }

private:
  struct Entry {
    uint64_t hash = 0;
    int32_t number = -1;
  };

  template <class IsIt> Entry& find(uint64_t hash, const IsIt& isIt) {
    size_t at = hash & (entries_.size() - 1);
    while (entries_[at].number >= 0 && !(entries_[at].hash == hash && isIt(entries_[at].number)))
      at = (at + 1) & (entries_.size() - 1);
    return entries_[at];
  }

  void grow() {
    std::vector<Entry> old(entries_.empty() ? 64 : 2 * entries_.size());
    old.swap(entries_);
    for (const Entry& entry : old)
      if (entry.number >= 0)
        find(entry.hash, [](int32_t) { return false; }) = entry;
  }

  std::vector<Entry> entries_; // a power of two
  size_t used_ = 0;
};

// From numbers to numbers that are not negative.
class FlatMap {
public:
  // -1: there is none.
  int32_t get(uint64_t key) const {
    if (keys_.empty())
      return -1;
    size_t at = slot(key);
    return values_[at] >= 0 ? values_[at] : -1;
  }
  void set(uint64_t key, int32_t value) {
    if (2 * (used_ + 1) > keys_.size())
      grow();
    size_t at = slot(key);
    used_ += values_[at] < 0;
    keys_[at] = key, values_[at] = value;
  }

private:
  size_t slot(uint64_t key) const {
    size_t at = mixed(0, key) & (keys_.size() - 1);
    while (values_[at] >= 0 && keys_[at] != key)
      at = (at + 1) & (keys_.size() - 1);
    return at;
  }
  void grow() {
    size_t size = keys_.empty() ? 64 : 2 * keys_.size();
    std::vector<uint64_t> keys(size);
    std::vector<int32_t> values(size, -1);
    keys.swap(keys_), values.swap(values_);
    for (size_t i = 0; i < keys.size(); ++i)
      if (values[i] >= 0) {
        size_t at = slot(keys[i]);
        keys_[at] = keys[i], values_[at] = values[i];
      }
  }

  std::vector<uint64_t> keys_; // a power of two
  std::vector<int32_t> values_;
  size_t used_ = 0;
};

} // namespace bsgp::arrays
