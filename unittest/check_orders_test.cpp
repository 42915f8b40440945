// links: runtime plan support
// What releases and acquires order, and that it stays quick with many of them. check_ordered_races_test.cpp compares it
// with vector clocks.
#include <ctime>
#include <vector>

#include <gtest/gtest.h>

#include "runtime/check/orders.h"

using namespace bsgp::runtime::check;

namespace {

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
    EXPECT_EQ(int(orders.before(rank, written[size_t(rank)], 999)), int(Order::Before));
    EXPECT_EQ(int(orders.before(rank, orders.now(), 999)), int(Order::None)) << "written after that";
  }
  uint32_t behind = orders.now();
  orders.update(5, 8);
  orders.update(7, 8);
  EXPECT_EQ(int(orders.before(5, behind, 7)), int(Order::None)) << "no fence between";
}

// Who loads what a store left has seen what that thread did, and not what others stored there before it.
TEST(Orders, AStoreHidesWhatWasStoredBefore) {
  Orders orders(256);
  orders.start();
  uint32_t first = orders.now();
  orders.release(1, 8);
  orders.fence(1);
  uint32_t second = orders.now();
  orders.release(2, 8);
  orders.fence(2);
  orders.acquire(3, 8);
  EXPECT_EQ(int(orders.before(1, first, 3)), int(Order::None));
  EXPECT_EQ(int(orders.before(2, second, 3)), int(Order::Before));
  orders.acquire(4, 8);
  orders.release(4, 8); // it has seen the second store
  orders.fence(4);
  orders.acquire(5, 8);
  EXPECT_EQ(int(orders.before(2, second, 5)), int(Order::Before));
}

TEST(Orders, ASyncOrdersItsBlock) {
  Orders orders(256);
  orders.start();
  uint32_t first = orders.now();
  orders.blockSync(7);
  EXPECT_EQ(int(orders.before(3, first, 200)), int(Order::Before));
  EXPECT_EQ(int(orders.before(3, orders.now(), 200)), int(Order::None));
  EXPECT_EQ(int(orders.before(3, first, 256)), int(Order::None)) << "of another block";
  orders.release(200, 8);
  orders.acquire(300, 8);
  EXPECT_EQ(int(orders.before(3, first, 300)), int(Order::Before)) << "told on by a thread behind the sync";
  orders.warpSync(300);
  EXPECT_EQ(int(orders.before(3, first, 290)), int(Order::Before));
  EXPECT_EQ(int(orders.before(3, first, 400)), int(Order::None)) << "of another warp";
}

TEST(Orders, AnUpdateMayBeDoneAfterItWasTold) {
  Orders orders(256);
  orders.start();
  uint32_t written = orders.now();
  orders.fence(1);
  orders.fence(2);
  orders.update(2, 8);
  orders.update(1, 8);
  EXPECT_EQ(int(orders.before(1, written, 2)), int(Order::Before));
  uint32_t later = orders.now();
  orders.fence(2);
  orders.fence(1);
  orders.update(1, 8);
  EXPECT_EQ(int(orders.before(1, later, 2)), int(Order::None)) << "the thread was heard of meanwhile";
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
    EXPECT_EQ(int(orders.before(rank, written, rank + 1)), int(Order::Before));
    EXPECT_EQ(int(orders.before(rank, orders.now(), rank + 1)), int(Order::None));
    EXPECT_EQ(int(orders.before(rank + 5, written, rank + 1)), int(Order::None));
  }
  EXPECT_EQ(int(orders.before(threads - 10, orders.now() - 11, threads)), int(Order::Before)) << "ten threads on";
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
  EXPECT_EQ(int(orders.before(0, first, kThreads - 1)), int(Order::Before));
  EXPECT_EQ(int(orders.before(0, orders.now(), kThreads - 1)), int(Order::None));
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
    EXPECT_EQ(int(orders.before(1, 0, 2)), int(Order::None));
  EXPECT_LT(cpuSeconds() - begin, 2);
}

} // namespace
