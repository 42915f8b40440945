// links: runtime plan support
// What is remembered of accesses decides as all pairs of them would.
#include <algorithm>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "runtime/check/block_races.h"

using namespace bsgp::runtime::check;

namespace {

struct Access {
  uint32_t thread;
  RaceClass c;
  uint32_t block_syncs, warp_syncs; // of its thread, before it
};

// One of them writes, and they are not both atomic.
bool arePair(RaceClass a, RaceClass b) {
  bool writes =
      a == RaceClass::Write || b == RaceClass::Write || a == RaceClass::AtomicWrite || b == RaceClass::AtomicWrite;
  bool plain = a == RaceClass::Read || b == RaceClass::Read || a == RaceClass::Write || b == RaceClass::Write;
  return writes && plain;
}

TEST(RaceState, AgreesWithAllPairsOnAMillionTraces) {
  std::mt19937_64 random(1);
  int with_races = 0;
  for (int trace = 0; trace < 1'000'000; ++trace) {
    Access accesses[7];
    uint32_t threads = 2 + uint32_t(random() % 3);
    size_t count = 2 + random() % 6;
    RaceState state = 0;
    uint32_t owner = 0;
    bool raced = false, has_pair = false;
    for (size_t i = 0; i < count; ++i) {
      uint64_t bits = random();
      Access a{uint32_t(bits % threads), RaceClass(bits >> 32 & 3), 0, 0};
      accesses[i] = a;
      for (size_t j = 0; j < i; ++j)
        has_pair |= accesses[j].thread != a.thread && arePair(accesses[j].c, a.c);
      if (!raced) {
        RaceStep step = raceStep(state, owner == a.thread, a.c);
        owner = step.takes_over ? a.thread : owner;
        state = step.next;
        raced = state == kRaced;
      }
      ASSERT_EQ(raced, has_pair) << "trace " << trace << ", access " << i;
    }
    with_races += has_pair;
  }
  EXPECT_GT(with_races, 300'000);
  EXPECT_LT(with_races, 990'000);
}

// Blocks of threads that pass block.sync and warp.sync, one after the other as a worker runs them.
struct BlockTrace {
  std::mt19937_64 random;
  BlockRaces races;
  std::vector<Access> accesses; // since the block began: their numbers are their sites
  uint32_t threads[5] = {0, 1, 2, 32, 33};
  uint32_t block_syncs = 0, warp_syncs[2] = {};
  bool raced = false, has_pair = false;

  explicit BlockTrace(uint64_t seed) : random(seed) {}

  bool areOrdered(const Access& a, const Access& b) const {
    return a.thread == b.thread || a.block_syncs != b.block_syncs ||
           (a.thread / 32 == b.thread / 32 && a.warp_syncs != b.warp_syncs);
  }

  bool isRace(const Access& before, const Access& a) const { return arePair(before.c, a.c) && !areOrdered(before, a); }

  void reach(uint64_t address, uint64_t bytes) {
    uint64_t bits = random();
    uint32_t thread = threads[bits % 5];
    Access a{thread, RaceClass(bits >> 32 & 3), block_syncs, warp_syncs[thread / 32]};
    for (const Access& before : accesses)
      has_pair |= isRace(before, a);
    accesses.push_back(a);
    auto conflict = races.reach(address, bytes, {thread, uint32_t(accesses.size() - 1), a.c});
    raced |= conflict.found;
    if (!conflict.found)
      return;
    const Access& told = accesses[conflict.other.site];
    EXPECT_TRUE(isRace(told, a) && told.thread == conflict.other.thread) << "the place that is told";
  }

  void sync() {
    uint64_t bits = random();
    if (bits & 1) {
      ++block_syncs;
      for (uint32_t thread : threads)
        races.blockSync(thread);
      return;
    }
    uint32_t warp = uint32_t(bits >> 1 & 1);
    ++warp_syncs[warp];
    for (uint32_t thread : threads)
      if (thread / 32 == warp)
        races.warpSync(thread);
  }
};

TEST(RaceState, OfBlocksAgreesWithAllPairs) {
  int with_races = 0;
  BlockTrace trace(2);
  for (int64_t block = 0; block < 1'000'000; ++block) {
    trace.races.enter({1, block}, 64);
    trace.accesses.clear();
    trace.block_syncs = trace.warp_syncs[0] = trace.warp_syncs[1] = 0;
    trace.raced = trace.has_pair = false;
    for (uint64_t i = 2 + trace.random() % 6; i > 0; --i) {
      if (trace.random() % 3 == 0)
        trace.sync();
      trace.reach(4096, 4);
      ASSERT_EQ(trace.raced, trace.has_pair) << "block " << block;
    }
    with_races += trace.has_pair;
  }
  EXPECT_GT(with_races, 200'000);
  EXPECT_LT(with_races, 900'000);
}

TEST(RaceState, AFinerAccessMeetsACoarseOne) {
  for (uint64_t offset : {0, 1, 4, 7}) {
    BlockRaces races;
    races.enter({1, 0}, 64);
    EXPECT_FALSE(races.reach(4096, 8, {0, 1, RaceClass::Write}).found);
    EXPECT_FALSE(races.reach(4104, 4, {1, 2, RaceClass::Read}).found);
    EXPECT_FALSE(races.reach(4096 + offset, 1, {0, 3, RaceClass::Read}).found);
    auto conflict = races.reach(4096 + offset, 1, {1, 3, RaceClass::Read});
    EXPECT_TRUE(conflict.found);
    EXPECT_EQ(conflict.other.site, 1u);
    EXPECT_EQ(conflict.other.thread, 0u);
    EXPECT_FALSE(races.reach(4104, 4, {2, 2, RaceClass::Read}).found);
    EXPECT_TRUE(races.reach(4107, 1, {2, 2, RaceClass::Write}).found);
  }
}

TEST(RaceState, ManyPlacesOfABlockAreKept) {
  BlockRaces races;
  for (int64_t block = 0; block < 3; ++block) {
    races.enter({1, block}, 64);
    for (uint64_t i = 0; i < 10'000; ++i)
      ASSERT_FALSE(races.reach(4096 + 4 * i, 4, {3, 1, RaceClass::Write}).found);
    for (uint64_t i = 0; i < 10'000; ++i)
      ASSERT_TRUE(races.reach(4096 + 4 * i, 4, {4, 2, RaceClass::Read}).found);
  }
}

} // namespace
