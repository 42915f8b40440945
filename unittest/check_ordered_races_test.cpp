// links: runtime plan support
// Races of threads that atomics, fences and syncs order: which are told is what vector clocks say of random traces.
#include <map>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "check_fixture.h"
#include "vector_clocks.h"

using namespace bsgp::test;

namespace {

constexpr size_t kSteps = 20, kTraces = 60'000, kBytes = 64; // of a trace in each memory

bool isAtomic(uint8_t kind) {
  return kind >= BSGP_ACCESS_ATOMIC_LOAD;
}

bool arePair(uint8_t a, uint8_t b) {
  auto writes = [](uint8_t kind) { return kind != BSGP_ACCESS_READ && kind != BSGP_ACCESS_ATOMIC_LOAD; };
  return (writes(a) || writes(b)) && !(isAtomic(a) && isAtomic(b));
}

struct Access {
  size_t thread;
  uint8_t kind;
  Place place;
  uint64_t bytes;
  int stamp;

  bool meets(const Access& other) const {
    return thread != other.thread && place.block == other.place.block && place.at < other.place.at + other.bytes &&
           other.place.at < place.at + bytes && arePair(kind, other.kind);
  }
};

// Each access of a trace has a place in the program of its own.
class OrderedRaces : public ::testing::Test {
protected:
  OrderedRaces() : lines(kSteps * 5), sites(kSteps * 5) {
    for (uint32_t i = 0; i < sites.size(); ++i) {
      lines[i] = {"test.bsgp", i + 1, 5, nullptr, 0};
      sites[i].at = &lines[i];
      sites[i].text = sites[i].name = "bins", sites[i].element = "char";
      sites[i].number = i, sites[i].count = uint32_t(sites.size());
      sites[i].access = uint8_t(i % 5);
      sites[i].checks = BSGP_CHECK_RACE, sites[i].flags = BSGP_SITE_ORDERS | BSGP_SITE_SYNCS;
      sites[i].element_bytes = sites[i].align = 1;
      sites[i].extent = kTraces * kBytes;
    }
  }

  // At lower places than the one before: of equal findings the lowest is told.
  void newTrace() {
    begin -= kBytes;
    watched.begin(context.get(), 1 << 20, kBlock);
    clocks = {};
    accesses.clear();
    ends = false;
  }

  // Threads of few blocks and places, so that they meet. Of the places some are for atomics, mostly.
  void step(uint32_t number) {
    uint64_t bits = random();
    size_t thread = bits % kThreads;
    int64_t rank = kRanks[thread], block = rank / kBlock;
    switch (bits >> 8 & 15) {
    case 0:
      bsgp_rt_check_fence(watched.launch(), rank);
      return clocks.fence(thread);
    case 1:
      return sync(block * kBlock, kBlock, bsgp_rt_check_block_sync);
    case 2:
      bsgp_rt_check_all_synced(watched.launch(), block * kBlock);
      return clocks.sync(block * kBlock, kBlock);
    case 3:
      return sync(rank / kWarp * kWarp, kWarp, bsgp_rt_check_warp_sync);
    default:
      break;
    }
    bool is_shared = block == 0 && (bits >> 16 & 3) == 0, // a worker runs one block at a time
        is_flag = bits >> 20 & 1, is_odd = (bits >> 24 & 15) == 0;
    auto kind = uint8_t(is_flag != is_odd ? 2 + (bits >> 32) % 3 : bits >> 32 & 1);
    uint64_t bytes = isAtomic(kind) || is_flag ? 4 : uint64_t(1) << (bits >> 36 & 3);
    uint64_t at = is_flag ? 16 + 4 * (bits >> 40 & 1) : (bits >> 44 & 7) / bytes * bytes;
    reach(number, {thread, kind, {is_shared ? block : -1, at}, bytes, 0});
  }

  template <class Tell> void sync(int64_t first, int64_t count, const Tell& tell) {
    for (int64_t rank = first; rank < first + count; ++rank)
      tell(watched.launch(), rank);
    clocks.sync(first, count);
  }

  void reach(uint32_t number, Access access) {
    if (access.kind == BSGP_ACCESS_ATOMIC_LOAD)
      clocks.load(access.thread, access.place);
    else if (access.kind == BSGP_ACCESS_ATOMIC_UPDATE)
      clocks.update(access.thread, access.place);
    access.stamp = clocks.access(access.thread);
    judge(number, access);
    if (access.kind == BSGP_ACCESS_ATOMIC_STORE)
      clocks.store(access.thread, access.place);
    accesses[number] = access;
  }

  void judge(uint32_t number, const Access& access) {
    bool is_race = false, is_sure = true;
    const Clocks::Thread& mine = clocks.threads[access.thread];
    for (const auto& [at, other] : accesses) {
      is_race |= access.meets(other) && mine.most[other.thread] < other.stamp;
      is_sure &= !access.meets(other) || mine.least[other.thread] >= other.stamp;
    }
    uint64_t before = checkerOf(*context)->reports.findings(), unjudged = checkerOf(*context)->unjudged();
    tell(number, access);
    bool is_told = checkerOf(*context)->reports.findings() != before;
    bool is_unjudged = checkerOf(*context)->unjudged() != unjudged;
    EXPECT_EQ(is_told, is_race);
    EXPECT_FALSE(is_unjudged && is_sure);
    ++(is_told ? races : is_unjudged ? unknown : is_sure ? ordered : taken_as_ordered);
    ends = is_told || is_race;
    if (is_told && is_race)
      placesAreRight(access, checkerOf(*context)->reports.since(before));
  }

  void tell(uint32_t number, const Access& access) {
    bsgp_check_site site = sites[number * 5 + access.kind];
    bool is_shared = access.place.block >= 0;
    site.space = is_shared ? BSGP_MEMORY_SHARED : BSGP_MEMORY_DEVICE;
    site.bytes = uint32_t(access.bytes);
    sites[number * 5 + access.kind] = site;
    char* base = is_shared ? shared.data() : device.data();
    watched.access(kRanks[access.thread], base + begin + access.place.at, base, sites[number * 5 + access.kind]);
  }

  void placesAreRight(const Access& access, const bsgp::runtime::check::Report& report) {
    auto found = accesses.find((report.other.at.line - 1) / 5);
    ASSERT_NE(found, accesses.end());
    const Access& other = found->second;
    EXPECT_TRUE(access.meets(other));
    EXPECT_LT(clocks.threads[access.thread].most[other.thread], other.stamp);
    EXPECT_EQ(report.other_rank, kRanks[other.thread]);
  }

  void reach(int64_t rank, uint8_t kind, uint64_t at) {
    sites[kind].space = BSGP_MEMORY_DEVICE, sites[kind].bytes = 4;
    watched.access(rank, device.data() + at, device.data(), sites[kind]);
  }
  uint64_t found() const { return checkerOf(*context)->reports.findings(); }

  std::mt19937_64 random{5};
  ContextOwner context = makeCheckedContext("race");
  Watched watched{context.get(), 1 << 20, kBlock};
  std::vector<bsgp_site> lines;
  std::vector<bsgp_check_site> sites;
  std::vector<char> shared = std::vector<char>(kTraces * kBytes), device = shared;
  size_t begin = kTraces * kBytes;
  Clocks clocks;
  std::map<uint32_t, Access> accesses;
  bool ends = false;
  int races = 0, unknown = 0, ordered = 0, taken_as_ordered = 0;
};

TEST_F(OrderedRaces, AreThoseOfVectorClocks) {
  for (size_t trace = 0; trace < kTraces && !HasFailure(); ++trace) {
    newTrace();
    for (uint32_t i = 0; i < kSteps && !ends; ++i)
      step(i);
    EXPECT_FALSE(HasFailure()) << "trace " << trace;
  }
  EXPECT_GT(races, 20'000);
  EXPECT_GT(ordered, 100'000);
  EXPECT_GT(unknown, 100);
  EXPECT_LT(taken_as_ordered, ordered / 20);
}

// A store tells of itself, too.
TEST_F(OrderedRaces, WhoHasLoadedItMayReadAFlagPlainly) {
  reach(1, BSGP_ACCESS_ATOMIC_STORE, 16);
  reach(2, BSGP_ACCESS_ATOMIC_LOAD, 16);
  reach(2, BSGP_ACCESS_READ, 16);
  EXPECT_EQ(found(), 0u);
  reach(3, BSGP_ACCESS_READ, 16);
  EXPECT_EQ(found(), 1u);
}

TEST_F(OrderedRaces, WhoComesBehindAReaderIsComparedWithTheWriteToo) {
  reach(1, BSGP_ACCESS_WRITE, 0);
  reach(1, BSGP_ACCESS_ATOMIC_STORE, 16);
  reach(2, BSGP_ACCESS_ATOMIC_LOAD, 16);
  reach(2, BSGP_ACCESS_READ, 0);
  EXPECT_EQ(found(), 0u);
  reach(3, BSGP_ACCESS_READ, 0);
  EXPECT_EQ(found(), 1u);
}

TEST_F(OrderedRaces, WhatAnUpdateFollowsIsOrderedByWhatCameBeforeIt) {
  reach(1, BSGP_ACCESS_WRITE, 0);
  reach(1, BSGP_ACCESS_ATOMIC_STORE, 16);
  reach(1, BSGP_ACCESS_ATOMIC_UPDATE, 0);
  reach(2, BSGP_ACCESS_ATOMIC_LOAD, 16);
  reach(2, BSGP_ACCESS_ATOMIC_UPDATE, 0);
  EXPECT_EQ(found(), 0u);
}

// More threads than are kept.
TEST_F(OrderedRaces, OfManyReadersOneIsFound) {
  for (int64_t rank = 0; rank < 100; ++rank)
    reach(rank, BSGP_ACCESS_READ, 0);
  reach(1000, BSGP_ACCESS_WRITE, 0);
  EXPECT_EQ(found(), 1u);
}

TEST_F(OrderedRaces, OfManyReadersThatSayTheyAreDoneSomeAreUnjudged) {
  for (int64_t rank = 0; rank < 100; ++rank) {
    reach(rank, BSGP_ACCESS_READ, 0);
    bsgp_rt_check_fence(watched.launch(), rank);
    reach(rank, BSGP_ACCESS_ATOMIC_UPDATE, 16);
  }
  reach(99, BSGP_ACCESS_WRITE, 0);
  EXPECT_EQ(found(), 0u);
  EXPECT_EQ(checkerOf(*context)->unjudged(), 1u);
}

TEST_F(OrderedRaces, AllReadersOfABlockPassASync) {
  for (int64_t rank = 0; rank < kBlock; ++rank)
    reach(rank, BSGP_ACCESS_READ, 0);
  for (int64_t rank = 0; rank < kBlock; ++rank)
    bsgp_rt_check_block_sync(watched.launch(), rank);
  reach(5, BSGP_ACCESS_WRITE, 0);
  EXPECT_EQ(found() + checkerOf(*context)->unjudged(), 0u);
  reach(6, BSGP_ACCESS_READ, 0);
  EXPECT_EQ(found(), 1u);
}

} // namespace
