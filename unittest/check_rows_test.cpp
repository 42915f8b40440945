// links: runtime plan support
// What is shown of rows of threads is compared with all pairs of them.
#include <random>

#include <gtest/gtest.h>

#include "runtime/check/rows.h"

using namespace bsgp::runtime::check;

namespace {

bool overlap(uint64_t a, uint64_t a_bytes, uint64_t b, uint64_t b_bytes) {
  return a < b + b_bytes && b < a + a_bytes;
}

bool anyPairMeets(const Row& a, const Row& b, int64_t threads) {
  for (int64_t i = 0; i < threads; ++i)
    for (int64_t j = 0; j < threads; ++j)
      if (i != j && overlap(a.at(i), a.bytes, b.at(j), b.bytes))
        return true;
  return false;
}

Row randomRow(std::mt19937_64& random) {
  constexpr int64_t kSteps[] = {0, 1, 2, 3, 4, 8, 12, 16, 24};
  constexpr uint64_t kBytes[] = {1, 2, 4, 8, 16};
  int64_t step = kSteps[random() % 9];
  return {1000 + random() % 64, random() % 2 ? step : -step, kBytes[random() % 5]};
}

TEST(CheckRows, MeetIfAnyTwoThreadsDo) {
  std::mt19937_64 random(3);
  int shown = 0, met = 0;
  for (int trial = 0; trial < 300'000; ++trial) {
    Row a = randomRow(random), b = randomRow(random);
    if (random() % 2)
      b.step = a.step;
    auto threads = int64_t(random() % 10);
    bool any = anyPairMeets(a, b, threads), may = mayMeet(a, b, threads);
    ASSERT_TRUE(a.step == b.step ? may == any : may || !any)
        << a.first << " + " << a.step << " * rank, " << a.bytes << " bytes; " << b.first << " + " << b.step
        << " * rank, " << b.bytes << " bytes; " << threads << " threads";
    shown += !may, met += any;
  }
  EXPECT_GT(shown, 50'000);
  EXPECT_GT(met, 50'000);
}

TEST(CheckRows, OfOneThreadNeverMeet) {
  Row row{100, 0, 8};
  EXPECT_FALSE(mayMeet(row, row, 1));
  EXPECT_FALSE(mayMeet(row, row, 0));
  EXPECT_TRUE(mayMeet(row, row, 2));
}

TEST(CheckRows, BehindEachOtherMeetInLargeLaunches) {
  constexpr int64_t kThreads = 1 << 30;
  Row write{1 << 20, 4, 4}, before{(1 << 20) - 4, 4, 4};
  EXPECT_FALSE(mayMeet(write, write, kThreads));
  EXPECT_TRUE(mayMeet(write, before, kThreads));
  EXPECT_FALSE(mayMeet(write, Row{(1 << 20) + 4 * uint64_t(kThreads), 4, 4}, kThreads));
}

} // namespace
