// links: runtime
// The worklist of a partition, with a host that counts in place of kernels.
#include "runtime/partition.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <vector>

#include <gtest/gtest.h>

using namespace bsgp::runtime;

namespace {

// Blocks are functions from a thread to the block that it comes to next. Kernels are numbered as plan_abi.h says, from 10 on.
struct Machine : PartitionHost {
  using Block = std::function<uint32_t(int64_t thread)>;

  Machine(int64_t threads, std::vector<Block> code, std::vector<uint32_t> begins, std::vector<uint32_t> behind)
      : blocks(std::move(code)), next_begin(std::move(begins)), next(std::move(behind)), counters(size_t(threads)) {
    partition = {10, uint32_t(blocks.size()), 1, 2, next_begin.data(), next.data()};
  }

  int32_t run() {
    for (size_t thread = 0; thread < counters.size(); ++thread)
      counters[thread] = blocks[0](int64_t(thread));
    return runBlocks(partition, int64_t(counters.size()), 32, *this);
  }

  int32_t launch(uint32_t kernel, int64_t threads, uint32_t block) override {
    uint32_t number = kernel - partition.first;
    if (number < partition.blocks)
      runBlock(number, threads);
    else if (number == partition.blocks)
      countChunks(threads, block);
    else
      list(threads, block);
    return 0;
  }

  void runBlock(uint32_t block, int64_t threads) {
    passes.push_back({block, threads});
    ASSERT_EQ(size_t(threads), ranks.size());
    for (int32_t rank : ranks)
      counters[size_t(rank)] = blocks[block](rank);
  }

  void countChunks(int64_t chunks, uint32_t block) {
    looks.push_back(block);
    counts.assign(size_t(chunks), 0);
    for (size_t thread = 0; thread < counters.size(); ++thread)
      counts[thread / BSGP_PARTITION_CHUNK] += counters[thread] == block;
  }

  void list(int64_t, uint32_t block) {
    ranks.assign(counters.size(), -1);
    size_t length = 0;
    for (size_t thread = 0; thread < counters.size(); ++thread)
      if (counters[thread] == block) {
        ranks[size_t(counts[thread / BSGP_PARTITION_CHUNK]++)] = int32_t(thread);
        ++length;
      }
    ranks.resize(length);
  }

  int32_t readStream(uint32_t stream, void* to, size_t bytes) override {
    EXPECT_EQ(stream, 1u);
    EXPECT_EQ(bytes, counts.size() * sizeof(int32_t));
    std::memcpy(to, counts.data(), bytes);
    return 0;
  }
  int32_t writeStream(uint32_t, const void* from, size_t bytes) override {
    std::memcpy(counts.data(), from, bytes);
    return 0;
  }
  int32_t look() override { return --looks_left < 0 ? 7 : 0; }

  std::vector<Block> blocks;
  std::vector<uint32_t> next_begin, next;
  bsgp_partition partition{};
  std::vector<uint32_t> counters;
  std::vector<int32_t> counts, ranks;
  std::vector<std::pair<uint32_t, int64_t>> passes; // block, completion count
  std::vector<uint32_t> looks;                      // blocks whose threads were counted
  int looks_left = 5000;
};

using Passes = std::vector<std::pair<uint32_t, int64_t>>;

// The program of the paper's figure 1: block 0, a loop of one block, and what stands behind it. Thread t makes t iterations.
Machine loop(int64_t threads, std::vector<int64_t>& left) {
  for (int64_t thread = 0; thread < threads; ++thread)
    left.push_back(thread);
  auto behindTest = [&left](int64_t thread) { return left[size_t(thread)]-- > 0 ? 1u : 2u; };
  return {threads, {behindTest, behindTest, [](int64_t) { return 3u; }}, {0, 2, 4, 4}, {1, 2, 1, 2}};
}

} // namespace

TEST(PartitionRun, WhatStandsBehindALoopRunsOnceForAllThreads) {
  std::vector<int64_t> left;
  Machine machine = loop(3, left);
  EXPECT_EQ(machine.run(), 0);
  EXPECT_EQ(machine.passes, (Passes{{1, 2}, {1, 1}, {2, 3}}));
  EXPECT_EQ(machine.counters, (std::vector<uint32_t>{3, 3, 3}));
}

TEST(PartitionRun, ABlockWithoutThreadsAddsNoSuccessors) {
  std::vector<int64_t> left;
  Machine machine = loop(3, left);
  EXPECT_EQ(machine.run(), 0);
  EXPECT_EQ(machine.looks, (std::vector<uint32_t>{1, 1, 1, 2})); // the third look at block 1 finds nobody
}

TEST(PartitionRun, NoBlockRunsAgainUnlessAPredecessorRan) {
  // 0 -> 1 or 2, both -> 3
  Machine machine(600,
                  {[](int64_t t) { return t % 2 ? 1u : 2u; }, [](int64_t) { return 3u; }, [](int64_t) { return 3u; },
                   [](int64_t) { return 4u; }},
                  {0, 2, 3, 4, 4}, {1, 2, 3, 3});
  EXPECT_EQ(machine.run(), 0);
  EXPECT_EQ(machine.passes, (Passes{{1, 300}, {2, 300}, {3, 600}}));
}

TEST(PartitionRun, ListsAreInTheOrderOfRanks) {
  std::vector<int64_t> left;
  Machine machine = loop(1000, left);
  machine.run();
  EXPECT_EQ(machine.passes.size(), 1000u);
  EXPECT_TRUE(std::is_sorted(machine.ranks.begin(), machine.ranks.end()));
}

TEST(PartitionRun, EndsWhenTheHostHasToldOfAFailure) {
  std::vector<int64_t> left;
  Machine machine = loop(100, left);
  machine.looks_left = 5;
  EXPECT_EQ(machine.run(), 7);
  EXPECT_EQ(machine.passes.size(), 2u);
}

TEST(PartitionRun, RunsNothingForNoThreads) {
  std::vector<int64_t> left;
  Machine machine = loop(0, left);
  EXPECT_EQ(machine.run(), 0);
  EXPECT_TRUE(machine.looks.empty());
}
