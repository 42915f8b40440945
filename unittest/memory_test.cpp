// links: runtime
#include "runtime/memory.h"

#include <cstring>
#include <map>
#include <random>
#include <thread>

#include <gtest/gtest.h>

#include "runtime/blocks.h"
#include "runtime/cpu/copy.h"
#include "runtime/cpu/pool.h"

using namespace bsgp::runtime;

TEST(BlockCache, AlignsAndNeverGivesNothing) {
  BlockCache cache(64 << 20);
  for (size_t bytes : {0, 1, 63, 64, 255, 256, 257, 4095, 4097, 100'000, (2 << 20) - 1}) {
    void* block = cache.take(bytes);
    ASSERT_NE(block, nullptr);
    EXPECT_EQ(uintptr_t(block) % 256, 0u) << bytes;
    std::memset(block, 1, std::max<size_t>(bytes, 64));
    cache.give(block, bytes);
  }
}

TEST(BlockCache, PutsBigBlocksOnHugePages) {
  BlockCache cache(64 << 20);
  for (size_t bytes : {size_t(2) << 20, (size_t(2) << 20) + 1, size_t(13) << 20}) {
    void* block = cache.take(bytes);
    EXPECT_EQ(uintptr_t(block) % (2 << 20), 0u) << bytes;
    std::memset(block, 1, bytes);
    cache.give(block, bytes);
  }
}

TEST(BlockCache, GivesAFreedBlockAgain) {
  BlockCache cache(64 << 20);
  for (size_t bytes : {100, 5000, 3 << 20}) {
    void* block = cache.take(bytes);
    cache.give(block, bytes);
    EXPECT_GE(cache.cached(), bytes);
    EXPECT_EQ(cache.take(bytes), block);
    EXPECT_EQ(cache.cached(), 0u);
    cache.give(block, bytes);
    cache.trim();
    EXPECT_EQ(cache.cached(), 0u);
  }
}

TEST(BlockCache, KeepsManyBlocksOfOneSize) {
  BlockCache cache(64 << 20);
  std::vector<void*> blocks(32);
  for (int round = 0; round < 3; ++round) {
    for (void*& block : blocks)
      block = cache.take(100'000);
    EXPECT_EQ(cache.cached(), 0u);
    for (void* block : blocks)
      cache.give(block, 100'000);
    EXPECT_GE(cache.cached(), 32u * 100'000);
  }
}

TEST(BlockCache, GivesABigBlockUpToTwiceAsLargeAndKnowsItsSizeAgain) {
  constexpr size_t kLarge = 16 << 20;
  BlockCache cache(64 << 20);
  void* block = cache.take(kLarge);
  cache.give(block, kLarge);
  size_t whole = cache.cached();
  EXPECT_GE(whole, kLarge);
  EXPECT_EQ(cache.take(kLarge / 2), block);
  EXPECT_EQ(cache.cached(), 0u);
  cache.give(block, kLarge / 2);
  EXPECT_EQ(cache.cached(), whole);
  void* other = cache.take(kLarge / 2 - (4 << 20)); // less than half of it would be used
  EXPECT_NE(other, block);
  cache.give(other, kLarge / 2 - (4 << 20));
  EXPECT_EQ(cache.take(kLarge), block);
  cache.give(block, kLarge);
}

// The pages of a block that is moved keep what was written there.
TEST(BlockCache, MakesANewBlockOfThePagesOfIdleOnes) {
  constexpr size_t kPart = 8 << 20;
  BlockCache cache(256 << 20);
  void *a = cache.take(kPart), *b = cache.take(kPart);
  std::memset(a, 1, kPart);
  std::memset(b, 2, kPart);
  cache.give(a, kPart);
  cache.give(b, kPart);
  auto* both = static_cast<char*>(cache.take(3 * kPart));
  EXPECT_EQ(cache.cached(), 0u);
  EXPECT_EQ(both[0] + both[kPart], 3);
  EXPECT_EQ(both[kPart - 1] + both[2 * kPart - 1], 3);
  EXPECT_EQ(both[2 * kPart], 0);
  std::memset(both, 3, 3 * kPart);
  cache.give(both, 3 * kPart);
  auto* more = static_cast<char*>(cache.take(7 * kPart)); // one that was joined lies in several mappings
  EXPECT_EQ(more[0], 0);
  EXPECT_EQ(cache.take(3 * kPart), both);
  cache.give(both, 3 * kPart);
  cache.give(more, 7 * kPart);
}

TEST(BlockCache, JoinsBlocksWhileOthersTakeThem) {
  BlockCache cache(512 << 20);
  std::vector<std::thread> threads;
  std::atomic<int> clashes{0};
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < 300; ++i) {
        size_t bytes = size_t(2 + (i * 7 + t) % 5 * 4) << 20;
        auto* block = static_cast<volatile int*>(cache.take(bytes));
        size_t last = bytes / sizeof(int) - 1;
        block[0] = t * 1000 + i;
        block[last] = t * 1000 + i;
        std::this_thread::yield();
        clashes += block[0] != t * 1000 + i || block[last] != t * 1000 + i;
        cache.give(const_cast<int*>(block), bytes);
      }
    });
  for (auto& thread : threads)
    thread.join();
  EXPECT_EQ(clashes, 0);
}

TEST(BlockCache, TakesABigBlockBackThatWasWrittenFarInFrontOf) {
  BlockCache cache(64 << 20);
  for (int byte : {0, 1, 255}) {
    auto* block = static_cast<char*>(cache.take(8 << 20));
    std::memset(block - 4096, byte, 4096);
    cache.give(block, 8 << 20);
    EXPECT_EQ(cache.take(8 << 20), block);
    cache.give(block, 8 << 20);
    cache.trim();
    EXPECT_EQ(cache.cached(), 0u);
  }
}

TEST(BlockCache, StaysWithinItsBound) {
  BlockCache cache(1 << 20);
  std::vector<void*> blocks;
  for (int i = 0; i < 64; ++i)
    blocks.push_back(cache.take(100'000));
  for (void* block : blocks)
    cache.give(block, 100'000);
  EXPECT_LE(cache.cached(), size_t(1) << 20);
  EXPECT_GT(cache.cached(), size_t(1) << 19);
}

TEST(BlockCache, RefusesMoreThanTheMachineHas) {
  BlockCache cache(1 << 20);
  EXPECT_EQ(cache.take(size_t(1) << 46), nullptr);
  EXPECT_EQ(cache.take(SIZE_MAX), nullptr);
}

TEST(BlockCache, GivesEachBlockToOneThread) {
  BlockCache cache(64 << 20);
  std::vector<std::thread> threads;
  std::atomic<int> clashes{0};
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < 5000; ++i) {
        auto* block = static_cast<volatile int*>(cache.take(1000));
        *block = t * 10000 + i;
        if (i % 100 == 0)
          std::this_thread::yield();
        clashes += *block != t * 10000 + i;
        cache.give(const_cast<int*>(block), 1000);
      }
    });
  for (auto& thread : threads)
    thread.join();
  EXPECT_EQ(clashes, 0);
}

TEST(Memory, KnowsTheRoomBehindAnAddress) {
  auto device = createReferenceDevice({});
  Memory memory(*device, false);
  std::string why;
  std::vector<char*> blocks;
  for (size_t i = 0; i < 100; ++i)
    blocks.push_back(static_cast<char*>(memory.allocate(100 + i, {}, why).block));
  for (size_t i : {99u, 0u, 50u, 1u}) {
    EXPECT_EQ(memory.roomAt(blocks[i], Space::Device), 100 + i);
    EXPECT_EQ(memory.roomAt(blocks[i] + 99 + i, Space::Device), 1u);
    EXPECT_EQ(memory.roomAt(blocks[i] + 100 + i, Space::Device), SIZE_MAX) << "behind its end";
    EXPECT_EQ(memory.roomAt(blocks[i] - 1, Space::Device), SIZE_MAX) << "in front of it";
    EXPECT_EQ(memory.roomAt(blocks[i], Space::Host), SIZE_MAX);
  }
  memory.release(blocks[50]);
  EXPECT_EQ(memory.roomAt(blocks[50] + 7, Space::Device), SIZE_MAX) << "it was freed";
  EXPECT_EQ(memory.roomAt(nullptr, Space::Device), SIZE_MAX);
  char* empty = static_cast<char*>(memory.allocate(0, {}, why).block);
  EXPECT_EQ(memory.roomAt(empty, Space::Device), 0u);
}

TEST(Memory, CountsWhatIsLive) {
  auto device = createReferenceDevice({});
  Memory memory(*device, true);
  std::string why;
  auto a = memory.allocate(1000, {}, why);
  void* b = memory.take(500, why);
  EXPECT_EQ(memory.counts().live_bytes, 1500u);
  EXPECT_EQ(memory.counts().live_blocks, 2u);
  EXPECT_TRUE(memory.release(a.block));
  EXPECT_FALSE(memory.release(a.block)) << "freed twice";
  EXPECT_FALSE(memory.release(b)) << "not remembered";
  memory.give(b, 500);
  EXPECT_EQ(memory.counts().live_bytes, 0u);
  EXPECT_EQ(memory.counts().peak_bytes, 1500u);
}

TEST(Memory, TellsAllocationsAtOneAddressApart) {
  auto device = createReferenceDevice({});
  Memory memory(*device, false);
  std::string why;
  auto first = memory.allocate(1000, {}, why);
  memory.release(first.block);
  auto second = memory.allocate(1000, {}, why);
  ASSERT_EQ(first.block, second.block);
  EXPECT_FALSE(memory.release(first.block, first.serial));
  EXPECT_TRUE(memory.release(second.block, second.serial));
}

TEST(Memory, PoisonsWhatIsTakenAndWhatIsFreed) {
  auto device = createReferenceDevice({});
  Memory memory(*device, true);
  std::string why;
  auto* bytes = static_cast<unsigned char*>(memory.take(300, why));
  EXPECT_EQ(bytes[0], 0xCB);
  EXPECT_EQ(bytes[299], 0xCB);
  std::memset(bytes, 1, 300);
  auto kept = memory.allocate(300, {}, why);
  memory.give(bytes, 300);
  auto* again = static_cast<unsigned char*>(device->allocate(300, why));
  ASSERT_EQ(again, bytes);
  EXPECT_EQ(again[150], 0xCB);
  device->release(again, 300);
  memory.release(kept.block);
}

TEST(Memory, FindsWhatIsWrittenPastItsEnds) {
  constexpr bsgp_site kSite{"test.bsgp", 3, 5, "int", 0};
  auto device = createReferenceDevice({});
  Memory memory(*device, false);
  std::string why;
  for (size_t count : {1, 10, 100, 1 << 20})
    for (ptrdiff_t at : {ptrdiff_t(count), ptrdiff_t(count) + 20, ptrdiff_t(-1), ptrdiff_t(-60)})
      for (bool host : {false, true}) {
        Origin origin{&kSite, int64_t(count)};
        void* block = host ? memory.allocateHost(count * 4, origin) : memory.allocate(count * 4, origin, why).block;
        int* values = static_cast<int*>(block);
        std::fill_n(values, count, 1);
        EXPECT_EQ(memory.takeDamage(), "");
        values[at] = 1;
        EXPECT_TRUE(host ? memory.releaseHost(values) : memory.release(values));
        std::string said = memory.takeDamage();
        EXPECT_EQ(said.find("test.bsgp:3:5: error: something wrote " +
                            std::string(at < 0 ? "before the begin of the " : "behind the end of the ") +
                            std::to_string(count) + " x int"),
                  0u)
            << said;
        EXPECT_EQ(memory.takeDamage(), "") << "said once";
      }
}

// What ran over the end of one allocation and into the next is told of the first.
TEST(Memory, NamesTheAllocationThatWasLeft) {
  constexpr bsgp_site kSite{"test.bsgp", 3, 5, "int", 0}, kOther{"test.bsgp", 4, 5, "int", 0};
  auto device = createReferenceDevice({});
  Memory memory(*device, false);
  std::string why;
  int* a = static_cast<int*>(memory.allocate(400, {&kSite, 100}, why).block);
  int* b = static_cast<int*>(memory.allocate(400, {&kOther, 100}, why).block);
  a[100] = 0, b[-1] = 0;
  memory.release(b);
  EXPECT_EQ(memory.takeDamage().find("test.bsgp:3:5: error: something wrote behind"), 0u);
}

TEST(Memory, FindsDamageOfWhatNobodyFrees) {
  constexpr bsgp_site kSite{"test.bsgp", 3, 5, "int", 0};
  auto device = createReferenceDevice({});
  Memory memory(*device, true);
  std::string why;
  static_cast<int*>(memory.allocate(400, {&kSite, 100}, why).block)[100] = 0;
  memory.lookForDamage();
  EXPECT_EQ(memory.takeDamage().find("test.bsgp:3:5: error: something wrote behind"), 0u);
  static_cast<int*>(memory.allocateHost(400, {&kSite, 100}))[-1] = 0;
  forgetSites(); // the program goes before its context
  memory.lookForDamage();
  EXPECT_EQ(memory.takeDamage().find("error: something wrote before the begin of the 100 elements (400 bytes)"), 0u);
}

TEST(Copy, MovesBytesOfAnySizeAndPlace) {
  Pool pool({.threads = 2, .always_share = true});
  std::vector<char> from(300'000), to(300'100);
  for (size_t i = 0; i < from.size(); ++i)
    from[i] = char(i * 31 + i / 256);
  for (size_t bytes : {0, 1, 15, 17, 65536, 65537, 299'993})
    for (size_t at : {0, 1, 7}) {
      std::fill(to.begin(), to.end(), char(0));
      copyBytes(pool, to.data() + at, from.data() + at, bytes);
      EXPECT_EQ(std::memcmp(to.data() + at, from.data() + at, bytes), 0);
      EXPECT_EQ(to[at + bytes], 0);
    }
}

TEST(Copy, MovesOverlappingRanges) {
  Pool pool({.threads = 2, .always_share = true});
  std::vector<int> values(200'000);
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = int(i);
  copyBytes(pool, values.data() + 1, values.data(), (values.size() - 1) * sizeof(int));
  for (size_t i = 1; i < values.size(); ++i)
    ASSERT_EQ(values[i], int(i) - 1);
}

TEST(Copy, StreamsPastTheCaches) {
  Pool pool({.threads = 2});
  size_t bytes = (size_t(64) << 20) + 13;
  std::vector<char> from(bytes + 16), to(bytes + 16);
  for (size_t i = 0; i < bytes; ++i)
    from[i + 3] = char(i * 7 + i / 4096);
  copyBytes(pool, to.data() + 5, from.data() + 3, bytes);
  EXPECT_EQ(std::memcmp(to.data() + 5, from.data() + 3, bytes), 0);
  EXPECT_EQ(to[4], 0);
  EXPECT_EQ(to[bytes + 5], 0);
  fillBytes(pool, to.data() + 5, 0xAB, bytes);
  EXPECT_EQ(to[4], 0);
  EXPECT_TRUE(std::all_of(to.begin() + 5, to.begin() + 5 + long(bytes), [](char c) { return c == char(0xAB); }));
  EXPECT_EQ(to[bytes + 5], 0);
}
