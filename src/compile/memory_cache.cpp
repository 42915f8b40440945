#include "compile/memory_cache.h"

namespace bsgp::compile {

namespace {

size_t bytesOf(const Code& code) {
  size_t bytes = sizeof code + code.warnings.plain.size() + code.warnings.colored.size() + code.remarks.size() +
                 code.header.size() + entryOf(code.interface).size();
  for (const std::string& object : code.objects)
    bytes += object.size();
  return bytes;
}

} // namespace

size_t MemoryCache::HashOf::operator()(const runtime::Hash128& key) const {
  return size_t(key.low);
}

std::shared_ptr<const Code> MemoryCache::find(const runtime::Hash128& key) {
  std::lock_guard lock(mutex_);
  auto place = places_.find(key);
  if (place == places_.end())
    return nullptr;
  entries_.splice(entries_.begin(), entries_, place->second);
  return place->second->code;
}

void MemoryCache::keep(const runtime::Hash128& key, std::shared_ptr<const Code> code) {
  size_t bytes = bytesOf(*code);
  std::lock_guard lock(mutex_);
  if (bytes > most_bytes_ || places_.count(key))
    return;
  entries_.push_front({key, std::move(code), bytes});
  places_[key] = entries_.begin();
  for (bytes_ += bytes; bytes_ > most_bytes_; entries_.pop_back()) {
    bytes_ -= entries_.back().bytes;
    places_.erase(entries_.back().key);
  }
}

} // namespace bsgp::compile
