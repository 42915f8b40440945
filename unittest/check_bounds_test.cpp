// links: runtime plan support
// What watched code is told of its accesses: bounds of allocations, of lists and arrays, freed memory, addresses of a
// caller's own; and what the reports say.
#include <gtest/gtest.h>

#include "check_fixture.h"

using namespace bsgp::test;

namespace {

constexpr bsgp_site kAt{"test.bsgp", 7, 5, nullptr, 0}, kElsewhere{"test.bsgp", 8, 5, nullptr, 0};
constexpr bsgp_site kMade{"test.bsgp", 3, 9, "int", 0}, kFreed{"test.bsgp", 9, 3, nullptr, 0};

bsgp_check_site access(uint8_t kind, const bsgp_site* at = &kAt) {
  bsgp_check_site site{};
  site.at = at;
  site.text = "a[i]";
  site.name = "a";
  site.element = "int";
  site.access = kind;
  site.checks = BSGP_CHECK_BOUNDS;
  site.bytes = site.align = site.element_bytes = 4;
  site.count = 1;
  return site;
}
const bsgp_check_site kRead = access(BSGP_ACCESS_READ), kWrite = access(BSGP_ACCESS_WRITE);

// One call with 1000 ints of device memory.
class Bounds : public ::testing::Test {
protected:
  Bounds() : call(bsgp_rt_begin(context.get())) {
    void* out = nullptr;
    bsgp_rt_dnew(call, 1000, 4, &kMade, &out);
    ints = static_cast<int*>(out);
  }
  int* read(int* base, int64_t index, const bsgp_check_site& site = kRead) {
    return static_cast<int*>(watched.access(5, base + index, base, site));
  }
  std::string end() {
    EXPECT_EQ(bsgp_rt_end(call, BSGP_OK), BSGP_FAILED);
    return bsgp_error_message();
  }
  void endWell() { EXPECT_EQ(bsgp_rt_end(call, BSGP_OK), BSGP_OK) << bsgp_error_message(); }

  ContextOwner context = makeCheckedContext("all");
  bsgp_call* call;
  Watched watched{context.get()};
  int* ints = nullptr;
};

TEST_F(Bounds, AnAccessInsideIsDone) {
  EXPECT_EQ(read(ints, 0), ints);
  EXPECT_EQ(read(ints, 999, kWrite), ints + 999);
  EXPECT_EQ(watched.access(0, ints + 10, ints + 1000, kRead), ints + 10) << "from one past the end";
  endWell();
}

TEST_F(Bounds, AReadBehindTheEndIsToldAndGivesZero) {
  ints[1000] = 77; // of what lies behind the allocation
  EXPECT_EQ(*read(ints, 1000), 0);
  EXPECT_EQ(end(), "test.bsgp:7:5: error: outside: thread 5 reads a[1000]; a has 1000 elements [bounds]\n"
                   "      thread 5 (block 0) reads\n"
                   "  memory:    a, int[1000], allocated at test.bsgp:3:9\n"
                   "  superstep: 1 of the spawn at test.bsgp:10, launch 1, 1,000 threads");
}

TEST_F(Bounds, WhatIsWrittenOutsideIsLost) {
  int before = ints[-1];
  *read(ints, -1, kWrite) = before + 1;
  EXPECT_EQ(ints[-1], before);
  EXPECT_EQ(*read(ints, 5000), 0) << "nor is it read";
  EXPECT_EQ(end().find("test.bsgp:7:5: error: outside: thread 5 writes a[-1]; a has 1000 elements [bounds]\n"), 0u);
}

TEST_F(Bounds, AnAccessThatEndsOutsideIsOutside) {
  bsgp_check_site wide = kRead;
  wide.bytes = 16, wide.align = 4;
  EXPECT_EQ(read(ints, 996, wide), ints + 996);
  EXPECT_NE(read(ints, 997, wide), ints + 997);
  EXPECT_NE(end().find("reads a[997]"), std::string::npos);
}

TEST_F(Bounds, AnotherAllocationIsNotThatOfThePointer) {
  void* other = nullptr;
  bsgp_rt_dnew(call, 1000, 4, &kMade, &other);
  EXPECT_NE(watched.access(5, other, ints, kRead), other);
  EXPECT_NE(end().find("outside: thread 5 reads a["), std::string::npos);
}

TEST_F(Bounds, NullIsTold) {
  EXPECT_EQ(*read(nullptr, 3), 0);
  EXPECT_EQ(end().find("test.bsgp:7:5: error: outside: thread 5 reads a[3]; a is NULL [bounds]\n"), 0u);
}

TEST_F(Bounds, FreedMemoryNamesWhereItWasFreed) {
  ints[3] = 77;
  bsgp_rt_dfree(call, ints, &kFreed);
  EXPECT_EQ(*read(ints, 3), 0);
  std::string said = end();
  EXPECT_EQ(
      said.find("test.bsgp:7:5: error: outside: thread 5 reads a[3] after it was freed at test.bsgp:9:3 [bounds]\n"),
      0u)
      << said;
}

TEST_F(Bounds, FreedMemoryIsNotGivenOutAgainAtOnce) {
  bsgp_rt_dfree(call, ints, &kFreed);
  void* again = nullptr;
  bsgp_rt_dnew(call, 1000, 4, &kMade, &again);
  EXPECT_NE(again, ints);
  EXPECT_NE(read(ints, 3), ints + 3);
  end();
}

TEST_F(Bounds, TheQuarantineEndsWithItsBound) {
  constexpr int64_t kBig = 100 << 20;
  void *first = nullptr, *other = nullptr;
  bsgp_rt_dnew(call, kBig, 1, &kMade, &first);
  bsgp_rt_dfree(call, first, &kFreed);
  EXPECT_NE(read(static_cast<int*>(first), 0), first);
  for (int i = 0; i < 2; ++i) {
    bsgp_rt_dnew(call, kBig, 1, &kMade, &other);
    EXPECT_NE(other, first);
    bsgp_rt_dfree(call, other, &kFreed);
  }
  bsgp_rt_dnew(call, kBig, 1, &kMade, &other);
  EXPECT_EQ(other, first) << "it was the oldest, and is given out again";
  EXPECT_EQ(read(static_cast<int*>(first), 0), first);
  end();
}

TEST_F(Bounds, AListHasItsElementsAndWhatItReserved) {
  bsgp_dlist list{};
  ASSERT_EQ(bsgp_rt_dlist_resize(call, &list, 100, 4, &kMade), BSGP_OK);
  auto reaches = [&](int64_t index) {
    int* data = static_cast<int*>(list.data);
    return read(data, index) == data + index;
  };
  EXPECT_TRUE(reaches(99));
  EXPECT_FALSE(reaches(100));
  bsgp_rt_dlist_resize(call, &list, 50, 4, &kMade);
  EXPECT_FALSE(reaches(50)) << "it has fewer";
  bsgp_rt_dlist_reserve(call, &list, 80, 4, &kMade);
  EXPECT_TRUE(reaches(79));
  EXPECT_FALSE(reaches(80));
  bsgp_rt_dlist_resize(call, &list, 10, 4, &kMade);
  EXPECT_TRUE(reaches(79)) << "it is reserved";
  auto* old = static_cast<int*>(list.data);
  bsgp_rt_dlist_resize(call, &list, 101, 4, &kFreed);
  EXPECT_TRUE(reaches(100));
  EXPECT_FALSE(reaches(101)) << "of the " << list.capacity << " that it has room for";
  EXPECT_NE(read(old, 0), old) << "stale data";
  end();
  bsgp_rt_dlist_free(call, &list);
}

TEST_F(Bounds, NothingIsLeftBehindAPointerThatIsBehindTheEnd) {
  bsgp_dlist list{};
  ASSERT_EQ(bsgp_rt_dlist_resize(call, &list, 100, 4, &kMade), BSGP_OK);
  bsgp_rt_dlist_resize(call, &list, 50, 4, &kMade);
  read(static_cast<int*>(list.data) + 52, 1);
  bsgp_rt_dlist_free(call, &list);
  EXPECT_NE(end().find("reads a[1]; a has 0 elements from there on [bounds]"), std::string::npos);
}

TEST_F(Bounds, EqualFindingsAreDescribedAsTheLowestOneIs) {
  bsgp_check_site other = kRead;
  other.name = "b";
  read(ints, 1007, other);
  read(ints, 1003);
  std::string said = end();
  EXPECT_NE(said.find("reads a[1003]; a has 1000 elements [bounds]"), std::string::npos) << said;
  EXPECT_NE(said.find("memory:    a, int[1000]"), std::string::npos) << said;
}

TEST_F(Bounds, ArraysHaveTheBoundsOfTheirSite) {
  constexpr bsgp_site kDeclared{"test.bsgp", 5, 7, nullptr, 0};
  bsgp_check_site shared = kWrite;
  shared.space = BSGP_MEMORY_SHARED;
  shared.extent = 64 * 4;
  shared.declared = &kDeclared;
  int array[80] = {};
  EXPECT_EQ(read(array, 63, shared), array + 63);
  *read(array, 64, shared) = 1;
  EXPECT_EQ(array[64], 0);
  std::string said = end();
  EXPECT_NE(said.find("writes a[64]; a has 64 elements [bounds]"), std::string::npos) << said;
  EXPECT_NE(said.find("memory:    a, int[64], declared at test.bsgp:5:7\n"), std::string::npos) << said;
}

TEST_F(Bounds, MisalignedAddressesAreTold) {
  auto* odd = reinterpret_cast<int*>(reinterpret_cast<char*>(ints) + 2);
  EXPECT_NE(watched.access(5, odd, ints, kRead), odd);
  std::string said = end();
  EXPECT_EQ(
      said.find("test.bsgp:7:5: error: misaligned: thread 5 reads a[0], byte 2 at an address that is no multiple of 4"),
      0u)
      << said;
}

TEST_F(Bounds, MemoryOfTheCallersOwnHasNoBounds) {
  std::vector<int> own(10);
  EXPECT_EQ(read(own.data(), 9), own.data() + 9);
  EXPECT_EQ(read(own.data(), 10), own.data() + 10) << "nobody knows";
  endWell();
}

TEST_F(Bounds, HostMemoryIsWatchedByHostCode) {
  void* out = nullptr;
  bsgp_rt_new(call, 10, 4, &kMade, &out);
  auto* host = static_cast<int*>(out);
  bsgp_check_site site = kRead;
  site.space = BSGP_MEMORY_HOST;
  EXPECT_EQ(bsgp_rt_check_host_access(call, host + 9, host, &site, nullptr), host + 9);
  EXPECT_NE(bsgp_rt_check_host_access(call, host + 10, host, &site, nullptr), host + 10);
  EXPECT_EQ(end().find("test.bsgp:7:5: error: outside: host code reads a[10]; a has 10 elements [bounds]\n"), 0u);
}

TEST_F(Bounds, EqualPlacesAreOneReport) {
  bsgp_check_site elsewhere = access(BSGP_ACCESS_READ, &kElsewhere);
  for (int64_t i = 1009; i >= 1000; --i)
    read(ints, i);
  read(ints, 1020);
  read(ints, 1020);
  read(ints, 1000, elsewhere);
  auto reports = checkerOf(*context)->reports.sorted();
  ASSERT_EQ(reports.size(), 2u);
  EXPECT_EQ(reports[0].spot.at.line, 7u);
  EXPECT_EQ(reports[0].index, 1000) << "the lowest one";
  EXPECT_EQ(reports[0].elements.count(), 11u);
  EXPECT_EQ(reports[1].spot.at.line, 8u);
  EXPECT_NE(end().find("the same place: 11 elements, a[1000..1009], a[1020]"), std::string::npos);
}

TEST_F(Bounds, WhatIsNotWatchedForIsNeitherToldNorDone) {
  bsgp_check_site site = kRead;
  site.checks = BSGP_CHECK_RACE;
  ints[1000] = 77; // of what lies behind the allocation
  EXPECT_EQ(*read(ints, 1000, site), 0);
  endWell();
}

TEST_F(Bounds, ManyAllocationsAreTold) {
  std::vector<int*> all;
  for (int64_t i = 0; i < 3000; ++i) {
    void* out = nullptr;
    bsgp_rt_dnew(call, i % 70, 4, &kMade, &out);
    all.push_back(static_cast<int*>(out));
  }
  for (int64_t i = 0; i < 3000; ++i) {
    int *ints = all[size_t(i)], last = int(i % 70) - 1;
    EXPECT_EQ(read(ints, last) == ints + last, last >= 0);
    EXPECT_NE(read(ints, last + 1), ints + last + 1);
  }
  end();
}

TEST(CheckedContexts, AWrongKindIsTold) {
  EXPECT_FALSE(makeCheckedContext("race,bonds"));
  EXPECT_EQ(std::string(bsgp_error_message()).find("there is no check 'bonds'"), 0u);
}

TEST(CheckedContexts, OthersKnowOfNothing) {
  auto context = makeContext("reference");
  EXPECT_EQ(context->watch, nullptr);
  int value = 0;
  bsgp_launch launch{};
  EXPECT_EQ(bsgp_rt_check_access(&launch, 0, &value, nullptr, &kRead), &value);
  bsgp_call* call = bsgp_rt_begin(context.get());
  EXPECT_EQ(bsgp_rt_check_host_access(call, &value, nullptr, &kRead, nullptr), &value);
  EXPECT_EQ(bsgp_rt_end(call, BSGP_OK), BSGP_OK);
}

} // namespace
