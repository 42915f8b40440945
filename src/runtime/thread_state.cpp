#include "runtime/thread_state.h"

#include <new>

#include <pthread.h>

namespace bsgp::runtime {
namespace {

constinit thread_local ThreadState* current = nullptr;

// At the end of a thread. What ends behind it may make a new one.
void forget(void* state) {
  current = nullptr;
  delete static_cast<ThreadState*>(state);
}

// Once the library is unloaded, the state of a thread can no longer be freed.
struct Key {
  Key() : is_made(pthread_key_create(&key, forget) == 0) {}
  ~Key() {
    if (is_made)
      pthread_key_delete(key);
  }
  pthread_key_t key = 0;
  const bool is_made;
};

} // namespace

ThreadState* threadState() noexcept {
  static const Key key;
  if (!current) [[unlikely]] {
    current = new (std::nothrow) ThreadState;
    if (current && key.is_made)
      pthread_setspecific(key.key, current);
  }
  return current;
}

} // namespace bsgp::runtime
