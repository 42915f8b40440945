// A bump allocator: nodes of a tree live as long as the arena and are never freed one by one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace bsgp {

class Arena {
public:
  Arena() = default;
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;
  ~Arena() {
    for (auto it = owned_.rbegin(); it != owned_.rend(); ++it)
      it->second(it->first);
  }

  void* allocate(size_t bytes, size_t align) {
    auto at = (cursor_ + align - 1) & ~uintptr_t(align - 1);
    if (at + bytes > end_ || !cursor_) {
      size_t size = bytes + align > kChunk ? bytes + align : kChunk;
      chunks_.push_back(std::make_unique<std::byte[]>(size));
      cursor_ = reinterpret_cast<uintptr_t>(chunks_.back().get());
      end_ = cursor_ + size;
      at = (cursor_ + align - 1) & ~uintptr_t(align - 1);
    }
    cursor_ = at + bytes;
    return reinterpret_cast<void*>(at);
  }

  // Destructors run when the arena goes, for types that have one.
  template <class T, class... Args> T* make(Args&&... args) {
    T* object = new (allocate(sizeof(T), alignof(T))) T{std::forward<Args>(args)...};
    if constexpr (!std::is_trivially_destructible_v<T>)
      owned_.emplace_back(object, [](void* p) { static_cast<T*>(p)->~T(); });
    return object;
  }

  template <class T> std::span<T> keep(const std::vector<T>& list) {
    if (list.empty())
      return {};
    T* to = static_cast<T*>(allocate(sizeof(T) * list.size(), alignof(T)));
    std::uninitialized_copy(list.begin(), list.end(), to);
    return {to, list.size()};
  }

  std::string_view copy(std::string_view text) {
    char* to = static_cast<char*>(allocate(text.size() + 1, 1));
    std::memcpy(to, text.data(), text.size());
    to[text.size()] = 0;
    return {to, text.size()};
  }

private:
  static constexpr size_t kChunk = 1 << 16;
  std::vector<std::unique_ptr<std::byte[]>> chunks_;
  std::vector<std::pair<void*, void (*)(void*)>> owned_;
  uintptr_t cursor_ = 0, end_ = 0;
};

} // namespace bsgp
