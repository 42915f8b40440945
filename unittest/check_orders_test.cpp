// links: runtime plan support
// What releases and acquires order, as a search of all events says; and that it stays quick with many of them.
#include <ctime>
#include <map>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "runtime/check/orders.h"

using namespace bsgp::runtime::check;

namespace {

constexpr int64_t kBlock = 4;

// Keeps all events, and looks at all of them.
struct AllEvents {
  static constexpr uint32_t kOpen = UINT32_MAX;
  struct Event {
    uint32_t time;
    int64_t rank;
    uint64_t address;
    bool releases;
    uint32_t end; // a release: of what came before; an acquire: it was done by then
    bool is_update = false;
  };
  std::vector<Event> events;
  std::map<int64_t, uint32_t> fences;

  void close(int64_t rank, uint32_t now) {
    for (Event& event : events)
      if (event.rank == rank && event.end == kOpen)
        event.end = now;
  }
  void release(int64_t rank, uint64_t address, uint32_t now) { events.push_back({now, rank, address, true, now}); }
  void acquire(int64_t rank, uint64_t address, uint32_t now) { events.push_back({now, rank, address, false, kOpen}); }
  void update(int64_t rank, uint64_t address, uint32_t now) {
    if (fences.count(rank))
      events.push_back({now, rank, address, true, fences[rank]});
    events.push_back({now, rank, address, false, kOpen, true});
  }

  Order before(int64_t first, uint32_t time, int64_t second, uint32_t until, int64_t group, bool sure = true,
               int depth = 0) const {
    Order found = Order::None;
    for (const Event& acquire : events)
      for (const Event& release : events) {
        if (acquire.releases || !release.releases || acquire.time > until || release.time > until ||
            release.end <= time || acquire.rank / group != second / group || release.rank == acquire.rank ||
            release.address != acquire.address || release.time > acquire.end)
          continue;
        bool still_sure = sure && acquire.rank == second && (acquire.is_update || release.time <= acquire.time);
        if (release.rank / group == first / group)
          found = std::max(found, still_sure && release.rank == first ? Order::Before : Order::Unknown);
        if (depth < 4)
          found = std::max(found, before(first, time, release.rank, release.end, group, still_sure, depth + 1));
      }
    return found;
  }
};

TEST(Orders, AgreeWithAllEvents) {
  std::mt19937_64 random(1);
  int answers[3] = {};
  for (int trace = 0; trace < 30'000; ++trace) {
    Orders orders(kBlock);
    orders.start();
    AllEvents all;
    std::vector<uint32_t> times{orders.now()};
    for (uint64_t i = 2 + random() % 9; i > 0; --i) {
      int64_t rank = int64_t(random() % 6);
      uint64_t address = 8 + random() % 3;
      uint64_t what = random() % 4;
      all.close(rank, orders.now());
      if (what == 0) {
        orders.fence(rank);
        all.fences[rank] = orders.now();
      } else if (what == 1) {
        orders.release(rank, address);
        all.release(rank, address, orders.now());
      } else if (what == 2) {
        orders.acquire(rank, address);
        all.acquire(rank, address, orders.now());
      } else {
        orders.update(rank, address);
        all.update(rank, address, orders.now());
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

// The last of them reads what all have written: each has written, passed a fence and counted.
TEST(Orders, AnUpdateReleasesWhatIsBeforeAFence) {
  Orders orders(256);
  orders.start();
  std::vector<uint32_t> written;
  for (int64_t rank = 0; rank < 1000; ++rank) {
    written.push_back(orders.now());
    orders.fence(rank);
    orders.update(rank, 8);
  }
  for (int64_t rank = 0; rank < 999; ++rank) {
    EXPECT_EQ(int(orders.before(rank, written[size_t(rank)], 999, 1)), int(Order::Before));
    EXPECT_EQ(int(orders.before(rank, orders.now(), 999, 1)), int(Order::None)) << "written after that";
  }
  uint32_t behind = orders.now();
  orders.update(5, 8);
  orders.update(7, 8);
  EXPECT_EQ(int(orders.before(5, behind, 7, 1)), int(Order::None)) << "no fence between";
}

TEST(Orders, AnUpdateMayBeDoneAfterItWasTold) {
  Orders orders(256);
  orders.start();
  uint32_t written = orders.now();
  orders.fence(1);
  orders.fence(2);
  orders.update(2, 8);
  orders.update(1, 8);
  EXPECT_EQ(int(orders.before(1, written, 2, 1)), int(Order::Before));
  uint32_t later = orders.now();
  orders.fence(2);
  orders.fence(1);
  orders.update(1, 8);
  EXPECT_EQ(int(orders.before(1, later, 2, 1)), int(Order::None)) << "the thread was heard of meanwhile";
}

// Each waits for the one before it, and what that one wrote before is asked about. Then about what nobody has released.
// Of this process, whatever else the machine does.
double cpuSeconds() {
  return double(std::clock()) / CLOCKS_PER_SEC;
}

double secondsOfChain(int64_t threads) {
  Orders orders(256);
  double begin = cpuSeconds();
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
  return cpuSeconds() - begin;
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
  double begin = cpuSeconds();
  for (int i = 0; i < 10'000; ++i)
    EXPECT_EQ(int(orders.before(1, 0, 2, 1)), int(Order::None));
  EXPECT_LT(cpuSeconds() - begin, 2);
}

} // namespace
