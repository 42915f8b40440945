#include "driver/on_deep_stack.h"

#include <pthread.h>

namespace bsgp::driver {

bool onDeepStack(const std::function<void()>& work) {
  pthread_attr_t attributes;
  if (pthread_attr_init(&attributes) != 0)
    return false;
  pthread_attr_setstacksize(&attributes, size_t(512) << 20);
  pthread_t thread;
  auto body = [](void* p) -> void* {
    (*static_cast<const std::function<void()>*>(p))();
    return nullptr;
  };
  bool made = pthread_create(&thread, &attributes, body, const_cast<std::function<void()>*>(&work)) == 0;
  pthread_attr_destroy(&attributes);
  if (made)
    pthread_join(thread, nullptr);
  return made;
}

} // namespace bsgp::driver
