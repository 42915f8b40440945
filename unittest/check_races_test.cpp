// links: runtime plan support
// Races of launches, as watched code tells of its accesses: which are found, which are none, and what is said.
#include <fstream>
#include <random>
#include <thread>

#include <gtest/gtest.h>

#include "check_fixture.h"
#include "runtime/check/report_text.h"

using namespace bsgp::test;

namespace {

constexpr bsgp_site kLines[] = {{"test.bsgp", 20, 5, nullptr, 0},
                                {"test.bsgp", 21, 5, nullptr, 0},
                                {"test.bsgp", 22, 5, nullptr, 0},
                                {"test.bsgp", 23, 5, nullptr, 0},
                                {"test.bsgp", 24, 5, nullptr, 0}};
constexpr bsgp_site kMade{"test.bsgp", 3, 9, "int", 0};

// The places of a spawn: one for each kind of access, in the order of bsgp_check_access.
struct Sites {
  explicit Sites(uint8_t flags = 0, uint8_t space = BSGP_MEMORY_DEVICE) {
    for (uint32_t i = 0; i < 5; ++i) {
      all[i].at = &kLines[i];
      all[i].text = all[i].name = "bins";
      all[i].element = "int";
      all[i].number = i, all[i].count = 5;
      all[i].access = uint8_t(i), all[i].space = space;
      all[i].checks = BSGP_CHECK_RACE | BSGP_CHECK_BOUNDS;
      all[i].flags = flags;
      all[i].bytes = all[i].align = all[i].element_bytes = 4;
      all[i].extent = 4096;
    }
  }
  bsgp_check_site all[5] = {};
};

// So many places, of each kind of access in turn, at lines of their own from 1.
struct ManySites {
  explicit ManySites(uint32_t count) : lines(count), all(count) {
    Sites of_each_kind;
    for (uint32_t i = 0; i < count; ++i) {
      lines[i] = {"test.bsgp", i + 1, 5, nullptr, 0};
      all[i] = of_each_kind.all[i % 5];
      all[i].at = &lines[i];
      all[i].number = i, all[i].count = count;
    }
  }
  std::vector<bsgp_site> lines;
  std::vector<bsgp_check_site> all;
};

// Kinds of accesses: one writes, and they are not both atomic.
bool arePair(uint8_t a, uint8_t b) {
  auto writes = [](uint8_t kind) { return kind != BSGP_ACCESS_READ && kind != BSGP_ACCESS_ATOMIC_LOAD; };
  auto is_plain = [](uint8_t kind) { return kind == BSGP_ACCESS_READ || kind == BSGP_ACCESS_WRITE; };
  return (writes(a) || writes(b)) && (is_plain(a) || is_plain(b));
}

class Races : public ::testing::Test {
protected:
  Races() : call(bsgp_rt_begin(context.get())) {
    void* out = nullptr;
    bsgp_rt_dnew(call, kInts, 4, &kMade, &out);
    ints = static_cast<int*>(out);
  }
  ~Races() override {
    if (call)
      bsgp_rt_end(call, BSGP_OK);
  }
  void reach(int64_t rank, uint8_t access, int64_t index) {
    watched.access(rank, ints + index, ints, sites.all[access]);
  }
  uint64_t errors() const { return checkerOf(*context)->reports.errors(); }
  uint64_t timesTold() const {
    uint64_t times = 0;
    for (const auto& report : checkerOf(*context)->reports.sorted())
      times += report.times;
    return times;
  }
  std::string end() {
    EXPECT_EQ(bsgp_rt_end(std::exchange(call, nullptr), BSGP_OK), BSGP_FAILED);
    return bsgp_error_message();
  }

  static constexpr int64_t kInts = 1 << 18;
  ContextOwner context = makeCheckedContext("all");
  bsgp_call* call;
  Watched watched{context.get(), 1 << 20};
  Sites sites;
  int* ints = nullptr;
};

TEST_F(Races, ThreadsAtPlacesOfTheirOwnAreNone) {
  for (int64_t rank = 0; rank < 1000; ++rank)
    for (uint8_t access : {0, 1, 2, 3, 4, 0, 1})
      reach(rank, access, rank);
  EXPECT_EQ(errors(), 0u);
}

TEST_F(Races, AReadAndAWriteOfTwoThreadsAreOne) {
  reach(90, BSGP_ACCESS_READ, 17);
  reach(4711, BSGP_ACCESS_WRITE, 17);
  EXPECT_EQ(end(), "test.bsgp:21:5: error: race: two threads of superstep 1 at bins[17], one writes [race]\n"
                   "      thread 4711 (block 18) writes\n"
                   "test.bsgp:20:5: note: thread 90 (block 0) read it\n"
                   "  memory:    bins, int[262144], allocated at test.bsgp:3:9\n"
                   "  superstep: 1 of the spawn at test.bsgp:10, launch 1, 1,048,576 threads\n"
                   "  help: an atomic, another element for each thread, or a barrier between");
}

TEST_F(Races, AllReadersAreNone) {
  for (int64_t rank = 0; rank < 1000; ++rank)
    reach(rank, BSGP_ACCESS_READ, 5);
  EXPECT_EQ(errors(), 0u);
  reach(7, BSGP_ACCESS_WRITE, 5);
  EXPECT_NE(end().find("thread 0 (block 0) read it (other threads may have, too)"), std::string::npos);
}

// Of two accesses of one thread, that is told which the other thread's conflicts with.
TEST_F(Races, TheLineOfTheConflictIsTold) {
  reach(0, BSGP_ACCESS_WRITE, 5);
  reach(0, BSGP_ACCESS_ATOMIC_UPDATE, 5);
  reach(1, BSGP_ACCESS_ATOMIC_UPDATE, 5);
  reach(0, BSGP_ACCESS_READ, 6);
  reach(0, BSGP_ACCESS_ATOMIC_UPDATE, 6);
  reach(1, BSGP_ACCESS_ATOMIC_UPDATE, 6);
  auto reports = checkerOf(*context)->reports.sorted();
  ASSERT_EQ(reports.size(), 2u);
  EXPECT_EQ(reports[0].other.at.line, 20u);
  EXPECT_EQ(reports[1].other.at.line, 21u);
}

TEST_F(Races, AReaderThatWritesIsToldOfAnotherReader) {
  reach(3, BSGP_ACCESS_READ, 5);
  reach(2, BSGP_ACCESS_READ, 5);
  reach(1, BSGP_ACCESS_READ, 5);
  reach(3, BSGP_ACCESS_WRITE, 5);
  EXPECT_NE(end().find("test.bsgp:20:5: note: thread 2 (block 0) read it (other threads may have, too)"),
            std::string::npos);
}

// Each access of a trace has a line of its own: that which is told is one that the last access is a race with.
TEST_F(Races, OfEachRaceBothPlacesAreTold) {
  std::mt19937_64 random(4);
  int with_races = 0;
  ManySites many(8 * 5);
  for (int64_t trace = 0; trace < 5000; ++trace) {
    struct Access {
      int64_t rank;
      uint8_t kind;
    } accesses[8];
    watched.begin(context.get(), 1 << 20, 256);
    for (uint32_t i = 0; i < 8; ++i) {
      Access a = accesses[i] = {int64_t(random() % 4), uint8_t(random() % 5)};
      uint64_t before = checkerOf(*context)->reports.findings();
      int64_t element = kInts - 1 - trace; // of equal findings the lowest element is told
      watched.access(a.rank, ints + element, ints, many.all[i * 5 + a.kind]);
      if (checkerOf(*context)->reports.findings() == before)
        continue;
      auto report = checkerOf(*context)->reports.since(before);
      uint32_t other = report.other.at.line - 1;
      ASSERT_LT(other / 5, i) << "trace " << trace;
      EXPECT_EQ(other % 5, accesses[other / 5].kind);
      EXPECT_EQ(report.other_rank, accesses[other / 5].rank);
      EXPECT_NE(report.other_rank, a.rank);
      EXPECT_TRUE(arePair(a.kind, accesses[other / 5].kind)) << "trace " << trace;
      ++with_races;
      break;
    }
  }
  EXPECT_GT(with_races, 2500);
}

// More than two thousand.
TEST_F(Races, ManyPlacesOfAKernelAreToldApart) {
  ManySites many(70'000);
  watched.access(1, ints, ints, many.all[69'000 + BSGP_ACCESS_WRITE]);
  watched.access(2, ints, ints, many.all[35'000 + BSGP_ACCESS_READ]);
  std::string said = end();
  EXPECT_EQ(said.find("test.bsgp:35001:5: error: race"), 0u) << said;
  EXPECT_NE(said.find("test.bsgp:69002:5: note: thread 1"), std::string::npos) << said;
}

TEST_F(Races, AtomicsAreNoneAmongThemselves) {
  for (int64_t rank = 0; rank < 1000; ++rank)
    reach(rank, BSGP_ACCESS_ATOMIC_UPDATE, 5);
  EXPECT_EQ(errors(), 0u);
  reach(1000, BSGP_ACCESS_READ, 5);
  EXPECT_EQ(errors(), 1u);
}

TEST_F(Races, ElementsAreThoseOfTheMemoryWhereverThePointerPoints) {
  for (int64_t rank : {1, 2})
    watched.access(rank, ints + 107, ints + 100, sites.all[BSGP_ACCESS_WRITE]);
  EXPECT_NE(end().find("at element 107 of the memory of bins, both write"), std::string::npos) << bsgp_error_message();
}

TEST(Promises, ExceptWhatWasNotJudged) {
  using bsgp::runtime::check::promiseOf;
  constexpr uint32_t kRace = BSGP_CHECK_RACE, kBounds = BSGP_CHECK_BOUNDS;
  EXPECT_EQ(promiseOf({kRace, 0, 0, 0, false, 0}), "0 unjudged; judged for every schedule");
  EXPECT_EQ(promiseOf({kRace, 0, 3, 0, false, 0}), "3 unjudged; the rest judged for every schedule");
  EXPECT_EQ(promiseOf({kRace, 0, 3, 0, true, 0}),
            "3 unjudged; the rest judged for this schedule: the order of atomics may influence what threads do");
  EXPECT_EQ(promiseOf({.kinds = kRace, .has_races = true}),
            "0 unjudged; judged for this schedule: the race may influence what threads do");
  EXPECT_EQ(promiseOf({kBounds, kRace | BSGP_CHECK_INIT, 0, 0, false, 0}),
            "not judged: race, init (the program was compiled without)");
  EXPECT_EQ(promiseOf({0, kRace, 0, 0, false, 0}), "nothing was judged: no code that was compiled with checks has run");
}

TEST_F(Races, TheNextLaunchBeginsAnew) {
  reach(1, BSGP_ACCESS_WRITE, 5);
  watched.begin(context.get(), 1 << 20, 256);
  reach(2, BSGP_ACCESS_WRITE, 5);
  EXPECT_EQ(errors(), 0u);
}

TEST_F(Races, MoreLaunchesThanEpochsAreKeptApart) {
  using bsgp::runtime::check::entry::kEpochs;
  for (int round = 0; round < 2; ++round) {
    reach(round, BSGP_ACCESS_WRITE, 5); // in launches of one epoch
    for (uint32_t launch = 0; launch < kEpochs; ++launch) {
      EXPECT_EQ(errors(), 0u);
      watched.begin(context.get(), 1 << 20, 256);
      if (launch < kEpochs - 1)
        reach(launch, BSGP_ACCESS_WRITE, 6);
    }
  }
  reach(1, BSGP_ACCESS_WRITE, 5);
  EXPECT_EQ(errors(), 0u);
  reach(2, BSGP_ACCESS_WRITE, 5);
  EXPECT_EQ(errors(), 1u);
}

TEST_F(Races, ALaunchThatRunsWhileEpochsBeginAnewIsNotForgotten) {
  using bsgp::runtime::check::entry::kEpochs;
  Watched other(context.get(), 1 << 20);
  for (uint32_t launch = 2; launch < kEpochs; ++launch)
    other.begin(context.get(), 1 << 20, 256);
  other.end();
  reach(1, BSGP_ACCESS_WRITE, 5);
  std::atomic<bool> has_begun{false};
  std::thread begins([&] {
    other.begin(context.get(), 1 << 20, 256);
    has_begun = true;
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_FALSE(has_begun) << "an epoch of old would be its own";
  reach(2, BSGP_ACCESS_WRITE, 5);
  EXPECT_EQ(errors(), 1u);
  watched.end();
  begins.join();
}

TEST_F(Races, FreedMemoryIsForgotten) {
  for (int round = 0; round < 3; ++round) {
    void* out = nullptr;
    bsgp_rt_dnew(call, 100 << 20, 4, &kMade, &out); // more than the quarantine: the next one is at the same place
    watched.access(round, out, out, sites.all[BSGP_ACCESS_WRITE]);
    bsgp_rt_dfree(call, out, nullptr);
  }
  EXPECT_EQ(errors(), 0u);
}

TEST_F(Races, EqualPlacesCountTheirElements) {
  for (int64_t i = 0; i < 256; ++i) {
    reach(i, BSGP_ACCESS_WRITE, i);
    reach(i + 1, BSGP_ACCESS_WRITE, i);
    reach(i + 2, BSGP_ACCESS_WRITE, i); // it was told
  }
  EXPECT_EQ(errors(), 1u);
  EXPECT_NE(end().find("the same two places: 256 elements, bins[0..255]"), std::string::npos);
}

// As all pairs say, with accesses of one to eight bytes.
TEST_F(Races, AccessesOfAnySizeAgreeWithAllPairs) {
  struct Access {
    int64_t rank;
    uint64_t begin, end;
    bool writes;
  };
  std::mt19937_64 random(3);
  int with_races = 0;
  for (int trace = 0; trace < 3000; ++trace) {
    watched.begin(context.get(), 1 << 20, 256);
    void* out = nullptr;
    bsgp_rt_dnew(call, 2, 8, &kMade, &out);
    std::vector<Access> all;
    for (uint64_t i = 2 + random() % 5; i > 0; --i) {
      uint64_t bytes = uint64_t(1) << random() % 4, begin = random() % 16 / bytes * bytes;
      Access access{int64_t(random() % 3), begin, begin + bytes, random() % 3 == 0};
      bool races = false;
      for (const Access& other : all)
        races |= other.rank != access.rank && (other.writes || access.writes) && other.begin < access.end &&
                 access.begin < other.end;
      all.push_back(access);
      Sites sized = sites;
      bsgp_check_site& site = sized.all[access.writes];
      site.bytes = site.align = uint32_t(bytes);
      uint64_t before = timesTold();
      watched.access(access.rank, static_cast<char*>(out) + begin, out, site);
      ASSERT_EQ(timesTold() != before, races) << "trace " << trace;
      with_races += races;
      if (races)
        break;
    }
    bsgp_rt_dfree(call, out, nullptr);
  }
  EXPECT_GT(with_races, 500);
}

TEST_F(Races, SeveralWorkersFindTheRaceAndNoOther) {
  constexpr int64_t kRanks = 100'000;
  for (int round = 0; round < 5; ++round) {
    auto work = [&](int64_t first) {
      for (int64_t rank = first; rank < kRanks; rank += 2) {
        reach(rank, BSGP_ACCESS_READ, rank);
        reach(rank, BSGP_ACCESS_WRITE, rank);
        reach(rank, BSGP_ACCESS_READ, kRanks + 5);
        reach(rank, BSGP_ACCESS_ATOMIC_UPDATE, kRanks + rank % 5);
        if (rank % 10'000 == 0)
          reach(rank, BSGP_ACCESS_WRITE, kRanks + 6);
      }
    };
    std::thread other(work, 1);
    work(0);
    other.join();
    watched.begin(context.get(), 1 << 20, 256);
  }
  auto reports = checkerOf(*context)->reports.sorted();
  ASSERT_EQ(reports.size(), 1u);
  EXPECT_EQ(reports[0].index, kRanks + 6);
  EXPECT_EQ(reports[0].times, 5u) << "once in each launch";
}

// The granule becomes smaller while others go on.
TEST_F(Races, AFinerGranuleLosesNothing) {
  for (int round = 0; round < 20; ++round) {
    void* out = nullptr;
    bsgp_rt_dnew(call, 4096, 8, &kMade, &out);
    auto* bytes = static_cast<char*>(out);
    Sites wide_sites = sites, narrow_sites = sites;
    bsgp_check_site &wide = wide_sites.all[BSGP_ACCESS_WRITE], &narrow = narrow_sites.all[BSGP_ACCESS_WRITE];
    wide.bytes = wide.align = 8;
    narrow.bytes = narrow.align = 1;
    std::thread coarse([&] {
      for (int64_t i = 0; i < 4096; ++i)
        watched.access(1, bytes + 8 * i, bytes, wide);
    });
    std::thread fine([&] {
      for (int64_t i = 4095; i >= 0; --i)
        watched.access(2, bytes + 8 * i + i % 8, bytes, narrow);
    });
    coarse.join();
    fine.join();
  }
  auto reports = checkerOf(*context)->reports.sorted();
  ASSERT_EQ(reports.size(), 1u);
  EXPECT_EQ(reports[0].times, 20u * 4096) << "one byte of each element";
}

TEST_F(Races, TwoPutsToOneThreadAreOne) {
  const bsgp_check_site& site = sites.all[BSGP_ACCESS_WRITE];
  for (int64_t rank = 0; rank < 100; ++rank)
    bsgp_rt_check_put(watched.launch(), rank, rank ^ 1, 0, &site);
  for (int64_t rank = 0; rank < 100; ++rank)
    bsgp_rt_check_put(watched.launch(), rank, rank, 1, &site);
  EXPECT_EQ(errors(), 0u);
  bsgp_rt_check_put(watched.launch(), 200, 33, 1, &site);
  std::string said = end();
  EXPECT_EQ(said.find("test.bsgp:21:5: error: race: two threads of superstep 1 put to thread 33 [race]\n"), 0u) << said;
  EXPECT_NE(said.find("note: thread 33 (block 0) put to it, too"), std::string::npos) << said;
}

TEST_F(Races, ReleaseAndAcquireOrderTwoThreads) {
  sites = Sites(BSGP_SITE_ORDERS);
  reach(1, BSGP_ACCESS_WRITE, 5);
  reach(1, BSGP_ACCESS_ATOMIC_STORE, 0);
  reach(300, BSGP_ACCESS_ATOMIC_LOAD, 0);
  reach(300, BSGP_ACCESS_READ, 5);
  reach(300, BSGP_ACCESS_ATOMIC_STORE, 1);
  reach(700, BSGP_ACCESS_ATOMIC_LOAD, 1);
  reach(700, BSGP_ACCESS_WRITE, 5);
  EXPECT_EQ(errors(), 0u);
  reach(800, BSGP_ACCESS_ATOMIC_LOAD, 2); // of another place
  reach(800, BSGP_ACCESS_READ, 5);
  EXPECT_EQ(errors(), 1u);
}

TEST_F(Races, WhatComesAfterTheReleaseIsNotOrdered) {
  sites = Sites(BSGP_SITE_ORDERS);
  reach(1, BSGP_ACCESS_ATOMIC_STORE, 0);
  reach(1, BSGP_ACCESS_WRITE, 5);
  reach(300, BSGP_ACCESS_ATOMIC_LOAD, 0);
  reach(300, BSGP_ACCESS_READ, 5);
  EXPECT_EQ(errors(), 1u);
}

TEST_F(Races, TheCallersOwnMemoryIsWatchedToo) {
  std::vector<int> own(1000);
  const auto& write = sites.all[BSGP_ACCESS_WRITE];
  for (int64_t i = 0; i < 1000; ++i)
    watched.access(i, &own[size_t(i)], own.data(), write);
  EXPECT_EQ(errors(), 0u);
  watched.access(3, &own[7], own.data(), write);
  EXPECT_EQ(errors(), 1u);
}

// Blocks of 64 threads, that pass syncs.
class BlockRaces : public Races {
protected:
  BlockRaces() {
    sites = Sites(BSGP_SITE_SYNCS);
    watched.begin(context.get(), 1 << 20, 64);
  }
  void blockSync(int64_t block) {
    for (int64_t i = 0; i < 64; ++i)
      bsgp_rt_check_block_sync(watched.launch(), block * 64 + i);
  }
  void share(int64_t rank, uint8_t access, int64_t index) {
    watched.access(rank, array + index, array, shared.all[access]);
  }
  Sites shared{BSGP_SITE_SYNCS, BSGP_MEMORY_SHARED};
  int array[1024] = {};
};

TEST_F(BlockRaces, ASyncOrdersItsBlock) {
  reach(1, BSGP_ACCESS_WRITE, 5);
  share(1, BSGP_ACCESS_WRITE, 9);
  blockSync(0);
  reach(2, BSGP_ACCESS_READ, 5);
  share(2, BSGP_ACCESS_WRITE, 9);
  EXPECT_EQ(errors(), 0u);
  share(3, BSGP_ACCESS_READ, 9);
  EXPECT_EQ(errors(), 1u);
}

TEST_F(BlockRaces, ASyncOrdersNoOtherBlock) {
  reach(1, BSGP_ACCESS_WRITE, 5);
  blockSync(0);
  blockSync(1);
  reach(64, BSGP_ACCESS_READ, 5);
  EXPECT_NE(end().find("test.bsgp:21:5: note: thread 1 (block 0) wrote it"), std::string::npos);
}

TEST_F(BlockRaces, WithoutASyncThreadsOfOneBlockRace) {
  reach(1, BSGP_ACCESS_WRITE, 5);
  reach(2, BSGP_ACCESS_READ, 5);
  EXPECT_EQ(errors(), 1u);
}

TEST_F(BlockRaces, AWarpSyncOrdersItsWarpAlone) {
  share(1, BSGP_ACCESS_WRITE, 9);
  share(1, BSGP_ACCESS_WRITE, 10);
  for (int64_t i = 0; i < 64; ++i)
    bsgp_rt_check_warp_sync(watched.launch(), i);
  share(2, BSGP_ACCESS_READ, 9);
  EXPECT_EQ(errors(), 0u);
  share(33, BSGP_ACCESS_READ, 10);
  EXPECT_EQ(errors(), 1u);
}

TEST_F(BlockRaces, SharedMemoryIsOfOneBlock) {
  share(1, BSGP_ACCESS_WRITE, 9);
  share(64, BSGP_ACCESS_WRITE, 9);
  share(128, BSGP_ACCESS_WRITE, 9);
  EXPECT_EQ(errors(), 0u);
}

TEST_F(BlockRaces, SharedMemoryIsWatchedWithoutSyncs) {
  Sites plain(0, BSGP_MEMORY_SHARED);
  watched.access(1, array, array, plain.all[BSGP_ACCESS_WRITE]);
  watched.access(2, array, array, plain.all[BSGP_ACCESS_WRITE]);
  EXPECT_NE(end().find("race: two threads of superstep 1 at bins[0], both write [race]"), std::string::npos);
}

} // namespace
