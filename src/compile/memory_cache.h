// Code by the hash of what it was made of, in memory: the entries whose last use is longest ago go first.
#pragma once

#include <cstddef>
#include <list>
#include <memory>
#include <mutex>
#include <unordered_map>

#include "compile/code.h"
#include "runtime/hash.h"

namespace bsgp::compile {

// From any thread.
class MemoryCache {
public:
  explicit MemoryCache(size_t most_bytes) : most_bytes_(most_bytes) {}

  std::shared_ptr<const Code> find(const runtime::Hash128& key); // null: there is none
  void keep(const runtime::Hash128& key, std::shared_ptr<const Code> code);

private:
  struct Entry {
    runtime::Hash128 key;
    std::shared_ptr<const Code> code;
    size_t bytes;
  };
  struct HashOf {
    size_t operator()(const runtime::Hash128& key) const;
  };
  std::mutex mutex_;
  std::list<Entry> entries_; // the one that was used last in front
  std::unordered_map<runtime::Hash128, std::list<Entry>::iterator, HashOf> places_;
  size_t bytes_ = 0;
  const size_t most_bytes_;
};

} // namespace bsgp::compile
