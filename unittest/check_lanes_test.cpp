// links: runtime plan support
// Lines of threads of a block at shared memory: what is shown of them before they run is what watched accesses find.
#include <map>
#include <random>

#include <gtest/gtest.h>

#include "check_fixture.h"
#include "runtime/check/lanes.h"

using namespace bsgp::test;
namespace check = bsgp::runtime::check;

namespace {

constexpr bsgp_site kLines[] = {{"test.bsgp", 20, 5, nullptr, 0}, {"test.bsgp", 21, 5, nullptr, 0}};
constexpr int64_t kBlock = 64, kInts = 128;

struct Sites {
  Sites() {
    for (uint32_t i = 0; i < 2; ++i) {
      all[i].at = &kLines[i];
      all[i].text = all[i].name = "s";
      all[i].element = "int";
      all[i].number = i, all[i].count = 2;
      all[i].access = uint8_t(i), all[i].space = BSGP_MEMORY_SHARED;
      all[i].checks = BSGP_CHECK_RACE | BSGP_CHECK_BOUNDS | BSGP_CHECK_INIT;
      all[i].flags = BSGP_SITE_SYNCS;
      all[i].bytes = all[i].align = all[i].element_bytes = 4;
      all[i].extent = sizeof(int) * kInts;
    }
  }
  bsgp_check_site all[2] = {};
};

// s[offset + step * (lane - first)], read or written; not by the first `skipped` lanes, and by so many fewer than all.
struct Line {
  int64_t offset, step;
  uint8_t access;
  int64_t skipped = 0, missing = 0;
};

// Threads of one block at one array of theirs; then of the next block.
class Block {
public:
  void next() { begin += kBlock; }
  // As lines; false: they are to be watched.
  bool asLines(int64_t first, int64_t count, const std::vector<Line>& lines, uint64_t uses = BSGP_USE_ALWAYS) {
    std::vector<bsgp_check_reach> reaches;
    std::vector<std::pair<uint8_t, uint64_t>> key;
    for (const Line& line : lines) {
      key.emplace_back(line.access, uses);
      reaches.push_back({s, at(line.offset), at(line.offset + line.step * (count - 1)),
                         uint64_t(1 + 2 * line.skipped + (line.missing << 32))});
    }
    return bsgp_rt_check_lanes(watched.launch(), begin + first, count, rowsOf(key), reaches.data()) != 0;
  }
  // Thread by thread. False: something that is read was not written.
  bool watch(int64_t first, int64_t count, const std::vector<Line>& lines) {
    bool written = true;
    for (int64_t lane = 0; lane < count; ++lane)
      for (const Line& line : lines)
        if (lane >= line.skipped && lane - line.skipped < count - line.missing)
          written &= watchOne(begin + first + lane, line.offset + line.step * lane, line.access);
    return written;
  }
  bool watchOne(int64_t rank, int64_t index, uint8_t access) {
    const bsgp_check_site& site = sites.all[access];
    void* place = watched.access(rank, reinterpret_cast<void*>(at(index)), s, site);
    if (access == BSGP_ACCESS_READ)
      return bsgp_rt_check_is_written(watched.launch(), rank, place, &site) != 0;
    bsgp_rt_check_set_written(watched.launch(), rank, place, 1, &site);
    return true;
  }
  void sync() { bsgp_rt_check_all_synced(watched.launch(), begin); }
  uint64_t errors() const { return checkerOf(*context)->reports.errors(); }

private:
  struct Rows {
    std::vector<bsgp_check_use_of> all;
    bsgp_check_rows rows;
  };
  // As a program has them: one for each place.
  const bsgp_check_rows* rowsOf(const std::vector<std::pair<uint8_t, uint64_t>>& key) {
    Rows& kept = rows[key];
    if (kept.all.empty())
      for (auto [access, uses] : key) {
        uint64_t about = access == BSGP_ACCESS_READ ? BSGP_USE_ASKS : BSGP_USE_SETS;
        kept.all.push_back({&sites.all[access], BSGP_USE_LINE | uses | about});
      }
    kept.rows = {kept.all.data(), uint32_t(kept.all.size()), 0};
    return &kept.rows;
  }
  uint64_t at(int64_t index) const { return reinterpret_cast<uintptr_t>(s) + uint64_t(4 * index); }

  ContextOwner context = makeCheckedContext("all");
  Watched watched{context.get(), 4 * kBlock, kBlock};
  Sites sites;
  std::map<std::vector<std::pair<uint8_t, uint64_t>>, Rows> rows;
  int64_t begin = 0; // the first thread of the block
  alignas(64) int s[kInts] = {};
};

constexpr uint8_t kRead = BSGP_ACCESS_READ, kWrite = BSGP_ACCESS_WRITE;

TEST(Lanes, HalvesOfATreeAreShown) {
  Block block;
  EXPECT_TRUE(block.asLines(0, kBlock, {{0, 1, kWrite}}));
  for (int64_t d = kBlock / 2; d > 0; d /= 2) {
    block.sync();
    EXPECT_TRUE(block.asLines(0, d, {{0, 1, kRead}, {d, 1, kRead}, {0, 1, kWrite}}, 0)) << d;
  }
  block.sync();
  EXPECT_TRUE(block.asLines(0, 1, {{0, 0, kRead}}));
  EXPECT_EQ(block.errors(), 0u);
}

TEST(Lanes, WhatNobodyWroteOrLiesOutsideIsWatched) {
  Block block;
  EXPECT_FALSE(block.asLines(0, kBlock, {{0, 1, kRead}}));
  EXPECT_TRUE(block.asLines(0, kBlock, {{0, 1, kWrite}}));
  block.sync();
  EXPECT_TRUE(block.asLines(0, kBlock, {{0, 1, kRead}}));
  block.sync();
  EXPECT_FALSE(block.asLines(0, kBlock, {{1, 1, kRead}}));
  EXPECT_FALSE(block.asLines(0, kBlock, {{kInts - kBlock + 1, 1, kWrite}}));
  EXPECT_FALSE(block.asLines(0, kBlock, {{-1, 1, kWrite}}));
}

TEST(Lanes, WhatOnlySomeThreadsWriteIsNotWrittenByThat) {
  Block block;
  EXPECT_FALSE(block.asLines(0, kBlock, {{0, 1, kWrite}}, 0));
  EXPECT_TRUE(block.asLines(0, kBlock, {{0, 1, kWrite}}));
  block.sync();
  EXPECT_TRUE(block.asLines(0, kBlock, {{0, 1, kWrite}}, 0));
}

TEST(Lanes, ThreadsThatDoNotComeThereReadNothing) {
  Block block;
  EXPECT_TRUE(block.asLines(0, kBlock, {{kBlock, 1, kWrite}}));
  block.sync();
  EXPECT_FALSE(block.asLines(0, kBlock, {{kBlock - 1, 1, kRead}}));
  EXPECT_TRUE(block.asLines(0, kBlock, {{kBlock - 1, 1, kRead, 1, 1}}));
  EXPECT_TRUE(block.asLines(0, kBlock, {{0, 1, kRead, 0, kBlock}}));
}

TEST(Lanes, NeighboursWithoutASyncAreWatchedAndTold) {
  Block block;
  EXPECT_TRUE(block.asLines(0, kBlock, {{0, 1, kWrite}}));
  EXPECT_FALSE(block.asLines(0, kBlock - 1, {{1, 1, kRead}}));
  block.watch(0, kBlock - 1, {{1, 1, kRead}});
  EXPECT_EQ(block.errors(), 1u);
}

TEST(Lanes, AWatchedAccessIsComparedWithTheLinesBeforeIt) {
  Block block;
  EXPECT_TRUE(block.asLines(0, kBlock, {{0, 1, kWrite}}));
  block.watchOne(7, 7, kRead);
  EXPECT_EQ(block.errors(), 0u);
  block.watchOne(8, 7, kRead);
  EXPECT_EQ(block.errors(), 1u);
}

// The same threads once all watched, once as lines where that can be shown.
TEST(Lanes, AllOrdersOfLinesAndAccessesAreJudgedAsIfWatched) {
  std::mt19937 random(5);
  auto pick = [&](int64_t low, int64_t high) { return int64_t(random() % uint32_t(high - low + 1)) + low; };
  int shown = 0, raced = 0;
  for (int turn = 0; turn < 400; ++turn) {
    Block watched, lines;
    watched.watch(0, kBlock, {{0, 1, kWrite}, {kBlock, 1, kWrite}});
    ASSERT_TRUE(lines.asLines(0, kBlock, {{0, 1, kWrite}, {kBlock, 1, kWrite}}));
    for (int part = 0; part < 12 && watched.errors() == 0; ++part) {
      if (pick(0, 2) == 0) {
        watched.sync(), lines.sync();
        continue;
      }
      int64_t first = pick(0, 3) == 0 ? pick(0, kBlock - 1) : 0, count = pick(0, 2) == 0 ? 1 : pick(1, kBlock - first);
      std::vector<Line> some;
      for (int64_t i = pick(1, 3); i > 0; --i) {
        int64_t step = pick(-1, 2), reach = step * (count - 1), low = reach < 0 ? -reach : 0;
        if (int64_t high = kInts - 1 - (reach > 0 ? reach : 0); high >= low)
          some.push_back({pick(0, 2) == 0 ? pick(low, high) : low, step, pick(0, 2) == 0 ? kWrite : kRead});
        if (pick(0, 3) == 0 && !some.empty()) {
          some.back().skipped = pick(0, count);
          some.back().missing = pick(some.back().skipped, count);
        }
      }
      bool written = watched.watch(first, count, some);
      if (lines.asLines(first, count, some)) {
        ++shown;
        ASSERT_EQ(watched.errors(), 0u);
        ASSERT_TRUE(written);
      } else {
        lines.watch(first, count, some);
      }
      ASSERT_EQ(watched.errors() != 0, lines.errors() != 0) << turn << ", " << part;
    }
    raced += watched.errors() != 0;
  }
  EXPECT_GT(shown, 100);
  EXPECT_GT(raced, 50);
}

// What a block does: lines of some of its threads, or, without lines, a block.sync.
struct Part {
  int64_t first, count;
  std::vector<Line> lines;
};

// Blocks that do nearly the same, one after the other.
TEST(Lanes, BlocksThatDoAsTheOneBeforeAreJudgedAsIfTheyWereAlone) {
  std::mt19937 random(7);
  auto pick = [&](int64_t low, int64_t high) { return int64_t(random() % uint32_t(high - low + 1)) + low; };
  auto part = [&] {
    if (pick(0, 2) == 0)
      return Part{0, 0, {}};
    Part made{0, pick(0, 1) ? kBlock : pick(1, kBlock), {}};
    for (int64_t i = pick(1, 2); i > 0; --i)
      made.lines.push_back({pick(0, 1) ? 0 : pick(0, kInts - kBlock), 1, pick(0, 2) == 0 ? kWrite : kRead});
    return made;
  };
  int shown = 0, raced = 0;
  for (int turn = 0; turn < 300; ++turn) {
    Block lines;
    std::vector<Part> parts;
    for (int64_t i = pick(3, 10); i > 0; --i)
      parts.push_back(part());
    uint64_t errors = 0;
    for (int block = 0; block < 4; ++block, lines.next()) {
      Block alone; // that block, all watched
      if (pick(0, 2) == 0)
        parts[size_t(pick(0, int64_t(parts.size()) - 1))] = part();
      alone.watch(0, kBlock, {{0, 1, kWrite}, {kBlock, 1, kWrite}});
      ASSERT_TRUE(lines.asLines(0, kBlock, {{0, 1, kWrite}, {kBlock, 1, kWrite}}));
      for (const Part& some : parts) {
        if (some.lines.empty()) {
          alone.sync(), lines.sync();
          continue;
        }
        bool written = alone.watch(some.first, some.count, some.lines);
        bool is_shown = lines.asLines(some.first, some.count, some.lines);
        shown += is_shown;
        if (!is_shown)
          lines.watch(some.first, some.count, some.lines);
        ASSERT_TRUE(written || !is_shown);
        ASSERT_TRUE(!is_shown || alone.errors() == 0);
        if (alone.errors() != 0)
          break;
      }
      if (alone.errors() != 0 && errors == 0) {
        ASSERT_NE(lines.errors(), 0u) << turn;
        ++raced, errors = lines.errors();
      }
      ASSERT_TRUE(errors != 0 || lines.errors() == 0) << turn;
    }
  }
  EXPECT_GT(shown, 500);
  EXPECT_GT(raced, 50);
}

} // namespace
