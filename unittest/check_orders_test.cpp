// links: runtime plan support
// What releases and acquires order, as a search of all events says; and that it stays quick with many of them.
#include <chrono>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "runtime/check/orders.h"

using namespace bsgp::runtime::check;

namespace {

constexpr int64_t kBlock = 4;

// Keeps all events, and looks at all of them.
struct AllEvents {
  struct Event {
    uint32_t time;
    int64_t rank;
    uint64_t address; // 0: a fence
    bool releases;
  };
  std::vector<Event> events;

  Order before(int64_t first, uint32_t time, int64_t second, uint32_t until, int64_t group, bool sure = true,
               int depth = 0) const {
    Order found = Order::None;
    for (const Event& acquire : events)
      for (const Event& release : events) {
        if (acquire.releases || !release.releases || acquire.time > until || release.time > until ||
            release.time <= time || acquire.rank / group != second / group || release.rank == acquire.rank ||
            (release.address != acquire.address && release.address && acquire.address))
          continue;
        bool still_sure =
            sure && acquire.rank == second && release.time <= acquire.time && release.address && acquire.address;
        if (release.rank / group == first / group)
          found = std::max(found, still_sure && release.rank == first ? Order::Before : Order::Unknown);
        if (depth < 4)
          found = std::max(found, before(first, time, release.rank, release.time, group, still_sure, depth + 1));
      }
    return found;
  }
};

TEST(Orders, AgreeWithAllEvents) {
  std::mt19937_64 random(1);
  int answers[3] = {};
  for (int trace = 0; trace < 20'000; ++trace) {
    Orders orders(kBlock);
    AllEvents all;
    std::vector<uint32_t> times{0};
    for (uint64_t i = 2 + random() % 8; i > 0; --i) {
      int64_t rank = int64_t(random() % 6);
      uint64_t address = 8 + random() % 3;
      uint64_t what = random() % 20;
      if (what == 0) {
        orders.fence(rank);
        all.events.push_back({orders.now(), rank, 0, true});
        all.events.push_back({orders.now(), rank, 0, false});
      } else if (what < 10) {
        orders.release(rank, address);
        all.events.push_back({orders.now(), rank, address, true});
      } else {
        orders.acquire(rank, address);
        all.events.push_back({orders.now(), rank, address, false});
      }
      times.push_back(orders.now());
    }
    int64_t group = random() % 2 ? 1 : kBlock, first = int64_t(random() % 6), second = int64_t(random() % 6);
    uint32_t time = times[random() % times.size()];
    if (first / group == second / group)
      continue; // it is not asked
    Order expected = all.before(first, time, second, orders.now(), group);
    ASSERT_EQ(int(orders.before(first, time, second, group)), int(expected)) << "trace " << trace;
    ++answers[int(expected)];
  }
  for (int count : answers)
    EXPECT_GT(count, 50);
}

// Each waits for the one before it, and what that one wrote before is asked about. Then about what nobody has released.
double secondsOfChain(int64_t threads) {
  Orders orders(256);
  auto begin = std::chrono::steady_clock::now();
  for (int64_t rank = 0; rank < threads; ++rank) {
    uint32_t written = orders.now();
    for (int again = 0; again < 3; ++again)
      orders.acquire(rank, uint64_t(7 + rank)); // it waits
    orders.release(rank, uint64_t(8 + rank));
    if (rank == 0)
      continue;
    orders.acquire(rank + 1, uint64_t(8 + rank));
    EXPECT_EQ(int(orders.before(rank, written, rank + 1, 1)), int(Order::Before));
    EXPECT_EQ(int(orders.before(rank, orders.now(), rank + 1, 1)), int(Order::None));
    EXPECT_EQ(int(orders.before(rank + 5, written, rank + 1, 1)), int(Order::None));
  }
  EXPECT_EQ(int(orders.before(threads - 10, orders.now() - 11, threads, 1)), int(Order::Before)) << "ten threads on";
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

TEST(Orders, OfManyThreadsAreJudgedAsQuicklyAsOfFew) {
  secondsOfChain(2'000);
  double few = secondsOfChain(20'000), many = secondsOfChain(200'000);
  EXPECT_LT(many, 50 * few) << "ten times as many";
}

// As of a lock: all events are of one address.
TEST(Orders, OfOnePlaceAreFoundAmongManyOthers) {
  Orders orders(256);
  constexpr int64_t kThreads = 200'000;
  uint32_t first = orders.now();
  for (int64_t rank = 0; rank < kThreads; ++rank) {
    orders.acquire(rank, 8);
    orders.release(rank, 8);
  }
  EXPECT_EQ(int(orders.before(0, first, kThreads - 1, 1)), int(Order::Before));
  EXPECT_EQ(int(orders.before(0, orders.now(), kThreads - 1, 1)), int(Order::None));
}

TEST(Orders, WhoWaitsIsOneEvent) {
  Orders orders(256);
  orders.release(1, 8);
  for (int i = 0; i < 1'000'000; ++i) {
    orders.acquire(2, 16);
    if (i % 1000 == 0)
      orders.release(3, 24);
  }
  auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < 10'000; ++i)
    EXPECT_EQ(int(orders.before(1, 0, 2, 1)), int(Order::None));
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(2));
}

} // namespace
