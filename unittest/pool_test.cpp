// links: runtime
#include "runtime/cpu/pool.h"

#include <sys/wait.h>
#include <unistd.h>

#include <gtest/gtest.h>

using bsgp::runtime::Pool;
using namespace std::chrono_literals;

namespace {

// Adds one to counts[i] for each i that a range covers.
void coverOnce(Pool& pool, int64_t count) {
  std::vector<std::atomic<int>> counts(static_cast<size_t>(count));
  pool.forRanges(count, [&](int64_t first, int64_t end) {
    ASSERT_LT(first, end);
    for (int64_t i = first; i < end; ++i)
      counts[size_t(i)].fetch_add(1, std::memory_order_relaxed);
  });
  for (int64_t i = 0; i < count; ++i)
    ASSERT_EQ(counts[size_t(i)].load(), 1) << "index " << i << " of " << count;
}

void spinFor(std::chrono::nanoseconds time) {
  auto begin = std::chrono::steady_clock::now();
  while (std::chrono::steady_clock::now() - begin < time) {
  }
}

class PoolTest : public testing::TestWithParam<std::tuple<unsigned, bool>> {
protected:
  Pool pool{{.threads = std::get<0>(GetParam()), .always_share = std::get<1>(GetParam())}};
};

} // namespace

TEST_P(PoolTest, CoversRangesOfOddSizesExactlyOnce) {
  for (int64_t count : {0, 1, 2, 3, 7, 63, 64, 65, 127, 1000, 4097, 100001})
    coverOnce(pool, count);
}

TEST_P(PoolTest, CoversManyRangesInARow) {
  for (int i = 0; i < 3000; ++i)
    coverOnce(pool, 1 + i % 17);
}

TEST_P(PoolTest, WorksAfterItsWorkersFellAsleep) {
  for (int i = 0; i < 20; ++i) {
    std::this_thread::sleep_for(1ms);
    coverOnce(pool, 257);
  }
}

TEST_P(PoolTest, CoversWorkThatIsKnownToBeShort) {
  int work = 0, other = 0;
  for (int i = 0; i < 2000; ++i) {
    int64_t count = 1 + i % 13;
    std::atomic<int64_t> sum{0};
    pool.forRanges(
        count, [&](int64_t first, int64_t end) { sum.fetch_add(end - first); }, Pool::Items::Unknown,
        i % 3 ? &work : &other);
    ASSERT_EQ(sum.load(), count) << "launch " << i;
  }
}

TEST(Pool, MeasuresAgainWhatWasShort) {
  Pool pool({.threads = 2});
  int work = 0;
  auto rangesOf = [&](std::chrono::nanoseconds each) {
    std::atomic<int> ranges{0};
    pool.forRanges(
        8,
        [&](int64_t first, int64_t end) {
          ranges.fetch_add(1);
          spinFor(each * (end - first));
        },
        Pool::Items::Unknown, &work);
    return ranges.load();
  };
  bool once = false, again = false;
  for (int i = 0; i < 20; ++i)
    once |= rangesOf(0ns) == 1;
  for (int i = 0; i < 20; ++i)
    again |= rangesOf(100us) > 1;
  EXPECT_TRUE(once);
  EXPECT_TRUE(again);
}

TEST_P(PoolTest, ServesSeveralCallersAtATime) {
  std::vector<std::thread> callers;
  for (int caller = 0; caller < 4; ++caller)
    callers.emplace_back([&, caller] {
      for (int i = 0; i < 300; ++i)
        coverOnce(pool, 50 + 97 * caller + i);
    });
  for (auto& caller : callers)
    caller.join();
}

TEST_P(PoolTest, RunsARangeFromWithinARange) {
  std::atomic<int64_t> sum{0};
  pool.forRanges(8, [&](int64_t first, int64_t end) {
    for (int64_t i = first; i < end; ++i)
      pool.forRanges(100, [&](int64_t a, int64_t b) { sum += b - a; });
  });
  EXPECT_EQ(sum, 800);
}

INSTANTIATE_TEST_SUITE_P(Threads, PoolTest, testing::Combine(testing::Values(1u, 2u, 3u, 8u, 40u), testing::Bool()));

TEST(Pool, SharesWorkThatIsHeavy) {
  Pool pool({.threads = 4});
  std::mutex mutex;
  std::vector<std::thread::id> ids;
  pool.forRanges(40, [&](int64_t first, int64_t end) {
    spinFor((end - first) * 500us);
    std::lock_guard lock(mutex);
    if (std::find(ids.begin(), ids.end(), std::this_thread::get_id()) == ids.end())
      ids.push_back(std::this_thread::get_id());
  });
  EXPECT_GT(ids.size(), 1u);
  EXPECT_LE(ids.size(), 4u);
}

TEST(Pool, KeepsSmallWorkOnTheCaller) {
  Pool pool({.threads = 2});
  int on_others = 0;
  for (int i = 0; i < 100; ++i)
    pool.forRanges(4, [&, caller = std::this_thread::get_id()](int64_t, int64_t) {
      if (std::this_thread::get_id() != caller)
        ++on_others;
    });
  EXPECT_LT(on_others, 50);
}

// The first half is the caller's, and the worker begins with the second, launch after launch.
TEST(Pool, EachThreadHasAPartOfItsOwn) {
  Pool pool({.threads = 2, .always_share = true});
  auto caller = std::this_thread::get_id();
  for (int launch = 0; launch < 20; ++launch) {
    std::atomic<int64_t> of_caller{-1}, of_worker{-1};
    pool.forRanges(10, [&](int64_t first, int64_t) {
      auto& mine = std::this_thread::get_id() == caller ? of_caller : of_worker;
      int64_t none = -1;
      mine.compare_exchange_strong(none, first);
      while (of_caller < 0 || of_worker < 0)
        std::this_thread::yield();
    });
    EXPECT_EQ(of_caller, 0);
    EXPECT_EQ(of_worker, 5);
  }
}

TEST(Pool, StartsRangesInAscendingOrderOnOneThread) {
  Pool pool({.threads = 1, .always_share = true});
  int64_t next = 0;
  pool.forRanges(1000, [&](int64_t first, int64_t end) {
    EXPECT_EQ(first, next);
    next = end;
  });
  EXPECT_EQ(next, 1000);
}

// Each waits for all before it: that ends where they have begun, and where the range is not longer than asked for.
TEST_P(PoolTest, BeginsRangesInTheirOrderWhereOneWaitsForThoseBefore) {
  constexpr int64_t kCount = 5000, kMost = 37;
  for (int round = 0; round < 5; ++round) {
    std::atomic<int64_t> done{0};
    pool.forRanges(
        kCount,
        [&](int64_t first, int64_t end) {
          while (done.load() != first)
            std::this_thread::yield();
          spinFor(20us);
          done.store(end);
        },
        Pool::Items::Unknown, nullptr, kMost);
    ASSERT_EQ(done.load(), kCount);
  }
}

TEST(Pool, WorksAloneInAForkedChild) {
  Pool pool({.threads = 2, .always_share = true});
  coverOnce(pool, 1000);
  pid_t child = fork();
  if (child == 0) {
    std::atomic<int64_t> sum{0};
    pool.forRanges(1000, [&](int64_t first, int64_t end) { sum += end - first; });
    _exit(sum == 1000 ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}
