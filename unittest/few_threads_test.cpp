// Where the system gives fewer threads than were asked for.
// links: runtime
#include <atomic>

#include <dlfcn.h>
#include <pthread.h>

#include <gtest/gtest.h>

#include "bsgp/bsgp.hpp"
#include "runtime/cpu/pool.h"

using bsgp::runtime::Pool;

namespace {

std::atomic<int> threads_left{0};

struct Allowed {
  explicit Allowed(int threads) { threads_left = threads; }
  ~Allowed() { threads_left = 0; }
};

using Create = int(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
using Join = int(pthread_t, void**);

} // namespace

// In place of the system's, which they call: at most so many threads at a time.
extern "C" int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*body)(void*),
                              void* argument) {
  static auto* const system = reinterpret_cast<Create*>(dlsym(RTLD_NEXT, "pthread_create"));
  if (threads_left.fetch_sub(1) > 0)
    return system(thread, attributes, body, argument);
  threads_left.fetch_add(1);
  return EAGAIN;
}

extern "C" int pthread_join(pthread_t thread, void** result) {
  static auto* const system = reinterpret_cast<Join*>(dlsym(RTLD_NEXT, "pthread_join"));
  threads_left.fetch_add(1);
  return system(thread, result);
}

TEST(FewThreads, APoolHasAsManyAsItGets) {
  for (unsigned wanted : {2u, 3u, 8u, 64u})
    for (int given : {0, 1, 2, 5, 7, 8, 9, 63, 64, 200}) {
      Allowed allowed(given);
      Pool pool({.threads = wanted, .always_share = true});
      EXPECT_EQ(pool.threads(), std::min(wanted, unsigned(given) + 1)) << wanted << " wanted, " << given << " given";
      std::vector<std::atomic<int>> counts(1001);
      pool.forRanges(1001, [&](int64_t first, int64_t end) {
        for (int64_t i = first; i < end; ++i)
          counts[size_t(i)].fetch_add(1);
      });
      for (size_t i = 0; i < counts.size(); ++i)
        ASSERT_EQ(counts[i].load(), 1) << "item " << i << ", " << wanted << " wanted, " << given << " given";
    }
}

TEST(FewThreads, AContextTellsHowManyItHas) {
  Allowed allowed(0);
  bsgp_options options = BSGP_OPTIONS_INIT;
  options.target = "cpu";
  options.threads = 8;
  bsgp::Context context(options);
  EXPECT_EQ(context.threads(), 1u);
  bsgp::DeviceArray<int> data(context, {1, 2, 3});
  EXPECT_EQ(data.toHost(), (std::vector<int>{1, 2, 3}));
}
