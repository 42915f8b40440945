// Memory of computed arrays: counted, from the cache of a device.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "support/result.h"

namespace bsgp::arrays {

class Buffer {
public:
  // Null: a buffer without memory.
  Buffer(void* data, size_t bytes) : data_(data), bytes_(bytes) {}
  // Memory of somebody else, who is called when nothing reads it any more.
  struct Owner {
    void (*release)(void* owner);
    void* owner;
  };
  Buffer(void* data, size_t bytes, Owner owner) : data_(data), bytes_(bytes), owner_(owner) {}
  ~Buffer();
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  template <class T = char> T* data() const { return static_cast<T*>(data_); }
  size_t bytes() const { return bytes_; }

private:
  void* data_;
  size_t bytes_;
  Owner owner_{nullptr, nullptr};
};

using BufferRef = std::shared_ptr<const Buffer>;

// Aligned to 64 bytes at least; the contents are undefined. `what`: for the message, the array that lacks memory.
Result<std::shared_ptr<Buffer>> allocate(size_t bytes, const std::string& what);

int64_t liveBytes();

} // namespace bsgp::arrays
