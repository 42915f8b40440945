// A thread with a stack of its own size, which may not be had.
#pragma once

#include <functional>
#include <memory>
#include <utility>

#include <pthread.h>

namespace bsgp {

class DeepThread {
public:
  // If the system refuses a stack of `most` bytes, it is asked for half as many, down to `least`. A thread that could not
  // be made does no work.
  DeepThread(size_t most, size_t least, std::function<void()> work)
      : work_(std::make_unique<std::function<void()>>(std::move(work))) {
    for (size_t bytes = most; bytes >= least && !is_made_; bytes /= 2)
      is_made_ = make(bytes);
  }
  DeepThread(DeepThread&& other) noexcept
      : work_(std::move(other.work_)), thread_(other.thread_), is_made_(std::exchange(other.is_made_, false)) {}
  DeepThread& operator=(DeepThread&&) = delete;
  ~DeepThread() { join(); }

  bool isMade() const { return is_made_; }
  void join() {
    if (std::exchange(is_made_, false))
      pthread_join(thread_, nullptr);
  }

private:
  bool make(size_t bytes) {
    pthread_attr_t attributes;
    if (pthread_attr_init(&attributes) != 0)
      return false;
    pthread_attr_setstacksize(&attributes, bytes);
    auto body = [](void* work) -> void* {
      (*static_cast<std::function<void()>*>(work))();
      return nullptr;
    };
    bool made = pthread_create(&thread_, &attributes, body, work_.get()) == 0;
    pthread_attr_destroy(&attributes);
    return made;
  }

  std::unique_ptr<std::function<void()>> work_; // where the thread finds it
  pthread_t thread_ = {};
  bool is_made_ = false;
};

} // namespace bsgp
