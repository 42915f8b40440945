// links: runtime plan support
// What nobody wrote is known: of device, host, shared memory and arrays of threads, and where it is copied to.
#include <chrono>
#include <thread>

#include <gtest/gtest.h>

#include "check_fixture.h"
#include "runtime/check/report_text.h"

using namespace bsgp::test;

namespace {

constexpr bsgp_site kAt{"test.bsgp", 7, 5, nullptr, 0}, kMade{"test.bsgp", 3, 9, "int", 0};

bsgp_check_site siteOf(uint8_t space, uint32_t bytes = 4) {
  bsgp_check_site site{};
  site.at = &kAt;
  site.checks = BSGP_CHECK_INIT;
  site.space = space;
  site.count = 1;
  site.bytes = bytes;
  return site;
}

class Written : public ::testing::Test {
protected:
  Written() : call(bsgp_rt_begin(context.get())), ints(fresh(1000)) {}
  ~Written() override { bsgp_rt_end(call, BSGP_OK); }
  int* fresh(int64_t count) {
    void* out = nullptr;
    bsgp_rt_dnew(call, count, 4, &kMade, &out);
    return static_cast<int*>(out);
  }
  bool isWritten(const void* at, int64_t rank = 0, uint8_t space = BSGP_MEMORY_DEVICE, uint32_t bytes = 4) {
    bsgp_check_site site = siteOf(space, bytes);
    return bsgp_rt_check_is_written(watched.launch(), rank, at, &site);
  }
  void set(const void* at, bool written = true, int64_t rank = 0, uint8_t space = BSGP_MEMORY_DEVICE,
           uint32_t bytes = 4) {
    bsgp_check_site site = siteOf(space, bytes);
    bsgp_rt_check_set_written(watched.launch(), rank, at, written, &site);
  }
  uint64_t errors() const { return checkerOf(*context)->reports.errors(); }

  ContextOwner context = makeCheckedContext("init");
  bsgp_call* call;
  Watched watched{context.get()};
  int* ints;
};

TEST_F(Written, WhatACFunctionReachesIsEachTime) {
  for (int again = 0; again < 3; ++again) {
    bsgp_rt_check_reached(call, ints, 0, 0);
    EXPECT_TRUE(isWritten(ints + 17));
    EXPECT_TRUE(isWritten(ints + 999));
    set(ints + 17, false);
    EXPECT_FALSE(isWritten(ints + 17));
  }
}

// A hundred thousand times 40 MB would take minutes.
TEST_F(Written, WhatACFunctionReachesAgainCostsNothing) {
  auto* many = fresh(10'000'000);
  auto start = std::chrono::steady_clock::now();
  for (int again = 0; again < 100'000; ++again)
    bsgp_rt_check_reached(call, many + again, 0, 0);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20));
}

TEST_F(Written, FreshMemoryIsNot) {
  EXPECT_FALSE(isWritten(ints));
  set(ints + 1);
  EXPECT_FALSE(isWritten(ints));
  EXPECT_TRUE(isWritten(ints + 1));
  EXPECT_FALSE(isWritten(ints + 1, 0, BSGP_MEMORY_DEVICE, 8)) << "a half of it";
  set(ints + 1, false);
  EXPECT_FALSE(isWritten(ints + 1)) << "what was not written was stored";
}

TEST_F(Written, EachByteIsKnown) {
  auto* bytes = reinterpret_cast<char*>(ints);
  for (uint32_t size : {1, 2, 3, 8, 16, 100})
    for (int at : {0, 1, 63, 64, 100}) {
      set(bytes, false, 0, BSGP_MEMORY_DEVICE, 400);
      set(bytes + at, true, 0, BSGP_MEMORY_DEVICE, size);
      for (int i = 0; i < 300; ++i)
        ASSERT_EQ(isWritten(bytes + i, 0, BSGP_MEMORY_DEVICE, 1), i >= at && i < at + int(size)) << at << " " << i;
    }
}

TEST_F(Written, MemoryThatIsGivenOutAgainIsFresh) {
  for (int round = 0; round < 4; ++round) {
    int* big = fresh(30 << 20);
    EXPECT_FALSE(isWritten(big));
    set(big);
    bsgp_rt_dfree(call, big, &kAt);
  }
}

TEST_F(Written, TheCallersOwnMemoryIs) {
  int own = 0;
  void* given = nullptr;
  bsgp_alloc(context.get(), 400, &given);
  EXPECT_TRUE(isWritten(&own));
  EXPECT_TRUE(isWritten(given));
}

TEST_F(Written, CopiesTakeItAlong) {
  int* other = fresh(1000);
  set(ints + 3);
  set(other + 9);
  ASSERT_EQ(bsgp_rt_copy(call, other + 5, BSGP_DEVICE, ints, BSGP_DEVICE, 10, 4, &kAt), BSGP_OK);
  for (int i = 0; i < 20; ++i)
    EXPECT_EQ(isWritten(other + i), i == 8) << i;
  void* host = nullptr;
  bsgp_rt_new(call, 100, 4, &kMade, &host);
  ASSERT_EQ(bsgp_rt_copy(call, host, BSGP_HOST, other, BSGP_DEVICE, 20, 4, &kAt), BSGP_OK);
  ASSERT_EQ(bsgp_rt_copy(call, ints + 500, BSGP_DEVICE, host, BSGP_HOST, 20, 4, &kAt), BSGP_OK);
  for (int i = 0; i < 20; ++i)
    EXPECT_EQ(isWritten(ints + 500 + i), i == 8) << i << ": by way of host memory";
  EXPECT_EQ(errors(), 0u) << "some of it was written";
  ASSERT_EQ(bsgp_rt_copy(call, host, BSGP_HOST, other + 10, BSGP_DEVICE, 20, 4, &kAt), BSGP_OK);
  EXPECT_EQ(errors(), 1u);
}

TEST_F(Written, OverlappingCopiesTakeItAlong) {
  for (int i = 0; i < 300; i += 3)
    set(ints + i);
  ASSERT_EQ(bsgp_rt_copy(call, ints + 7, BSGP_DEVICE, ints, BSGP_DEVICE, 300, 4, &kAt), BSGP_OK);
  for (int i = 7; i < 307; ++i)
    ASSERT_EQ(isWritten(ints + i), (i - 7) % 3 == 0) << i;
  ASSERT_EQ(bsgp_rt_copy(call, ints, BSGP_DEVICE, ints + 7, BSGP_DEVICE, 300, 4, &kAt), BSGP_OK);
  for (int i = 0; i < 300; ++i)
    ASSERT_EQ(isWritten(ints + i), i % 3 == 0) << i;
}

TEST_F(Written, WhatTheHostReadsOfItIsTold) {
  int value = 0;
  set(ints + 3);
  ASSERT_EQ(bsgp_rt_peek(call, ints, 3, 4, &value, &kAt), BSGP_OK);
  EXPECT_EQ(errors(), 0u);
  ASSERT_EQ(bsgp_rt_poke(call, ints, 4, 4, &value, &kAt), BSGP_OK);
  ASSERT_EQ(bsgp_rt_peek(call, ints, 4, 4, &value, &kAt), BSGP_OK);
  EXPECT_EQ(errors(), 0u) << "the host wrote it";
  ASSERT_EQ(bsgp_rt_peek(call, ints, 5, 4, &value, &kAt), BSGP_OK);
  ASSERT_EQ(errors(), 1u);
  EXPECT_EQ(bsgp_rt_end(call, BSGP_OK), BSGP_FAILED);
  EXPECT_EQ(std::string(bsgp_error_message())
                .find("test.bsgp:7:5: error: undefined: nobody wrote element 5, which host code uses [init]"),
            0u)
      << bsgp_error_message();
  call = bsgp_rt_begin(context.get());
}

TEST_F(Written, AListThatGrowsTakesItAlong) {
  bsgp_dlist list{};
  int values[3] = {1, 2, 3}, value = 0;
  ASSERT_EQ(bsgp_rt_dlist_append(call, &list, values, 3, 4, &kMade), BSGP_OK);
  ASSERT_EQ(bsgp_rt_dlist_resize(call, &list, 100, 4, &kMade), BSGP_OK);
  auto* data = static_cast<int*>(list.data);
  EXPECT_TRUE(isWritten(data + 2));
  EXPECT_FALSE(isWritten(data + 3));
  ASSERT_EQ(bsgp_rt_dlist_write(call, &list, 50, 4, 0, 4, &value, &kAt), BSGP_OK);
  EXPECT_TRUE(isWritten(data + 50));
  ASSERT_EQ(bsgp_rt_dlist_read(call, &list, 50, 4, 0, 4, &value, &kAt), BSGP_OK);
  EXPECT_EQ(errors(), 0u);
  ASSERT_EQ(bsgp_rt_dlist_read(call, &list, 51, 4, 0, 4, &value, &kAt), BSGP_OK);
  EXPECT_EQ(errors(), 1u);
  bsgp_rt_dlist_free(call, &list);
}

TEST_F(Written, SharedMemoryIsOfTheRunningBlock) {
  int array[4] = {};
  set(array, true, 5, BSGP_MEMORY_SHARED);
  EXPECT_TRUE(isWritten(array, 6, BSGP_MEMORY_SHARED));
  EXPECT_FALSE(isWritten(array + 1, 6, BSGP_MEMORY_SHARED));
  EXPECT_FALSE(isWritten(array, 300, BSGP_MEMORY_SHARED)) << "another block";
}

TEST_F(Written, ArraysOfThreadsAreOfTheirThread) {
  int array[1000] = {};
  for (int& one : array)
    set(&one, true, 5, BSGP_MEMORY_THREAD);
  EXPECT_TRUE(isWritten(array + 999, 5, BSGP_MEMORY_THREAD));
  EXPECT_FALSE(isWritten(array, 6, BSGP_MEMORY_THREAD));
}

// A get that names a rank of the launch has brought what that thread had, any other nothing.
TEST_F(Written, TheRankThatAGetNamesSaysWhereAValueComesFrom) {
  static constexpr bsgp_site kGet{"test.bsgp", 5, 9, nullptr, 0},
      kUses[] = {{"test.bsgp", 6, 1, nullptr, 0}, {"test.bsgp", 7, 1, nullptr, 0}, {"test.bsgp", 8, 1, nullptr, 0}};
  static constexpr bsgp_check_cause kCauses[] = {
      {&kGet, nullptr, BSGP_CAUSE_GET, 1}, {&kMade, "x", BSGP_CAUSE_VARIABLE, 1}, {nullptr, nullptr, 0, 0}};
  bsgp_check_site site = siteOf(BSGP_MEMORY_DEVICE);
  site.causes = kCauses;
  auto tell = [&](const bsgp_site& use, uint8_t flags, int64_t rank) {
    site.at = &use, site.flags = flags;
    bsgp_rt_check_value(watched.launch(), 3, BSGP_VALUE_UNDEFINED, rank, &site);
  };
  tell(kUses[0], BSGP_SITE_ASKED, 999);
  tell(kUses[1], BSGP_SITE_ASKED, 1000);
  tell(kUses[2], 0, 0);
  std::vector<std::string> notes;
  bsgp::runtime::check::SourceLines lines;
  for (const auto& report : checkerOf(*context)->reports.sorted()) {
    std::string text = textOf(report, lines);
    size_t begin = text.find("test.bsgp:", 1);
    notes.push_back(text.substr(begin, text.find("  superstep") - begin));
  }
  EXPECT_EQ(notes,
            (std::vector<std::string>{"test.bsgp:3:9: note: x is declared here, and nothing sets it on this way\n",
                                      "test.bsgp:5:9: note: thread.get of no rank (1000) here\n",
                                      "test.bsgp:5:9: note: perhaps thread.get of no rank here\n"
                                      "test.bsgp:3:9: note: x is declared here, without a value\n"}));
}

TEST_F(Written, SeveralWorkersWriteOneWord) {
  auto work = [&](int first) {
    for (int i = first; i < 1000; i += 2)
      set(ints + i);
  };
  std::thread other(work, 1);
  work(0);
  other.join();
  for (int i = 0; i < 1000; ++i)
    ASSERT_TRUE(isWritten(ints + i)) << i;
}

TEST_F(Written, HostMemoryIsWrittenByHostCode) {
  void* made = nullptr;
  bsgp_rt_new(call, 100, 4, &kMade, &made);
  auto* host = static_cast<int*>(made);
  bsgp_check_site site = siteOf(BSGP_MEMORY_HOST);
  EXPECT_FALSE(bsgp_rt_check_host_is_written(call, host, &site));
  bsgp_rt_check_host_set_written(call, host, 1, &site);
  EXPECT_TRUE(bsgp_rt_check_host_is_written(call, host, &site));
  EXPECT_FALSE(bsgp_rt_check_host_is_written(call, host + 1, &site));
  bsgp_rt_check_reached(call, host + 50, 0, 0);
  EXPECT_TRUE(bsgp_rt_check_host_is_written(call, host + 1, &site)) << "a C function may have";
}

TEST_F(Written, VariablesOfHostCodeAreSetUnlessTheyBeginWithout) {
  int variables[10] = {};
  bsgp_check_site site = siteOf(BSGP_MEMORY_THREAD);
  auto isSet = [&](int i) { return bsgp_rt_check_host_is_written(call, variables + i, &site) != 0; };
  EXPECT_TRUE(isSet(3));
  bsgp_rt_check_host_variable(call, variables + 2, 5 * sizeof(int), 0);
  EXPECT_TRUE(isSet(1) && isSet(7));
  EXPECT_FALSE(isSet(2) || isSet(4) || isSet(6));
  bsgp_rt_check_host_set_written(call, variables + 4, 1, &site);
  EXPECT_TRUE(isSet(4));
  EXPECT_FALSE(isSet(3) || isSet(5));
  bsgp_rt_check_host_variable(call, variables, sizeof variables, 1);
  EXPECT_TRUE(isSet(2) && isSet(6));
}

TEST_F(Written, WhatIsMovedOnTheHostCarriesIt) {
  void* made = nullptr;
  bsgp_rt_new(call, 10, 4, &kMade, &made);
  auto* host = static_cast<int*>(made);
  int variables[10] = {};
  bsgp_check_site site = siteOf(BSGP_MEMORY_HOST);
  auto isSet = [&](int* at) { return bsgp_rt_check_host_is_written(call, at, &site) != 0; };
  bsgp_rt_check_host_set_written(call, host + 3, 1, &site);
  bsgp_rt_check_host_moved(call, variables, host, 10 * sizeof(int));
  EXPECT_TRUE(isSet(variables + 3));
  EXPECT_FALSE(isSet(variables + 2) || isSet(variables + 4) || isSet(variables + 9));
  bsgp_rt_check_host_set_written(call, variables + 9, 1, &site);
  bsgp_rt_check_host_moved(call, host + 1, variables + 8, 2 * sizeof(int));
  EXPECT_TRUE(isSet(host + 2) && isSet(host + 3));
  EXPECT_FALSE(isSet(host + 1));
  bsgp_rt_check_host_moved(call, variables, variables + 8, 2 * sizeof(int));
  EXPECT_TRUE(isSet(variables + 1));
  EXPECT_FALSE(isSet(variables));
  bsgp_rt_check_host_variable(call, variables, sizeof variables, 1);
}

TEST_F(Written, PointersLeadCFunctionsOn) {
  void *first = nullptr, *second = nullptr;
  bsgp_rt_new(call, 4, 8, &kMade, &first);
  bsgp_rt_new(call, 4, 8, &kMade, &second);
  static_cast<void**>(first)[2] = second;
  bsgp_check_site site = siteOf(BSGP_MEMORY_HOST);
  bsgp_rt_check_reached(call, first, 0, 0);
  EXPECT_FALSE(bsgp_rt_check_host_is_written(call, second, &site));
  bsgp_rt_check_reached(call, first, 0, 1);
  EXPECT_TRUE(bsgp_rt_check_host_is_written(call, second, &site));
}

} // namespace
