// links: runtime plan support
// What checks themselves take: freed memory that waits, records of allocations, what is known of launches that have ended.
#include <fstream>
#include <thread>

#include <gtest/gtest.h>
#include <unistd.h>

#include "check_fixture.h"

using namespace bsgp::runtime;
using namespace bsgp::test;

namespace {

constexpr bsgp_site kMade{"test.bsgp", 3, 9, "int", 0};
constexpr int64_t kMiB = 1 << 20;

int64_t residentBytes() {
  int64_t whole = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> whole >> resident;
  return resident * sysconf(_SC_PAGESIZE);
}

class CheckMemory : public ::testing::Test {
protected:
  CheckMemory() : call(bsgp_rt_begin(context.get())) {}
  ~CheckMemory() override { bsgp_rt_end(call, BSGP_OK); }
  void makeAndFree(int64_t bytes) {
    void* out = nullptr;
    ASSERT_EQ(bsgp_rt_dnew(call, bytes, 1, &kMade, &out), BSGP_OK);
    ASSERT_EQ(bsgp_rt_dfree(call, out, nullptr), BSGP_OK);
  }

  ContextOwner context = makeCheckedContext("all");
  bsgp_call* call;
};

TEST_F(CheckMemory, ManySmallBlocksThatWereFreedStayWithinTheBound) {
  int64_t before = residentBytes();
  for (int i = 0; i < 150'000; ++i)
    makeAndFree(4);
  EXPECT_LT(residentBytes() - before, 350 * kMiB);
}

TEST_F(CheckMemory, HostMemoryThatWasFreedWaitsInLittle) {
  int64_t before = residentBytes();
  for (int i = 0; i < 300'000; ++i) {
    void* out = nullptr;
    ASSERT_EQ(bsgp_rt_new(call, 1, 4, &kMade, &out), BSGP_OK);
    ASSERT_EQ(bsgp_rt_delete(call, out, nullptr), BSGP_OK);
  }
  EXPECT_LT(residentBytes() - before, 70 * kMiB);
}

TEST_F(CheckMemory, WhatIsKnownOfFreedMemoryGoesWithoutALaunch) {
  std::vector<char> zeros(16 * kMiB);
  int64_t before = residentBytes();
  for (int i = 0; i < 200; ++i) {
    void* out = nullptr;
    ASSERT_EQ(bsgp_rt_dnew(call, 16 * kMiB, 1, &kMade, &out), BSGP_OK);
    checkerOf(*context)->copied(out, Space::Device, zeros.data(), 16 * kMiB, nullptr);
    ASSERT_EQ(bsgp_rt_dfree(call, out, nullptr), BSGP_OK);
  }
  EXPECT_LT(residentBytes() - before, 100 * kMiB); // a bit for each byte: 2 MiB each
}

TEST_F(CheckMemory, WhatAListLosesIsUnwrittenWhenItGrowsAgain) {
  bsgp_dlist list{};
  auto resize = [&](int64_t n) { ASSERT_EQ(bsgp_rt_dlist_resize(call, &list, n, 4, &kMade), BSGP_OK); };
  auto isWritten = [&](int64_t i) {
    auto [bytes, offset] = checkerOf(*context)->allocations.writtenAt(uintptr_t(list.data) + uint64_t(i) * 4, 4);
    return bytes->all(offset, 4);
  };
  resize(10);
  auto [bytes, offset] = checkerOf(*context)->allocations.writtenAt(uintptr_t(list.data), 40);
  bytes->set(offset, 40, true);
  resize(2);
  resize(10);
  EXPECT_TRUE(isWritten(1));
  EXPECT_FALSE(isWritten(2));
  EXPECT_FALSE(isWritten(9));
  bsgp_rt_dlist_reserve(call, &list, 20, 4, &kMade);
  checkerOf(*context)
      ->allocations.writtenAt(uintptr_t(list.data), 80)
      .bytes->set(40, 40, true); // behind its end, as it may
  resize(20);
  EXPECT_TRUE(isWritten(19));
  bsgp_rt_dlist_free(call, &list);
}

struct Flag {
  explicit Flag(bool& gone) : gone(gone) {}
  ~Flag() { gone = true; }
  bool& gone;
};

TEST(Allocations, ARecordThatWasTheLibrarysIsTheCallersLater) {
  check::AllocationMap map;
  std::vector<char> mine(4096), callers(4096);
  check::Allocation* memory = map.add(mine.data(), mine.size(), Space::Device, {&kMade, 4096, 0});
  map.giveToLibrary(mine.data());
  EXPECT_TRUE(memory->is_of_library);
  map.forget(map.free(mine.data(), nullptr));
  check::Allocation* foreign = map.foreignAt(reinterpret_cast<uintptr_t>(callers.data()));
  ASSERT_EQ(foreign, memory);
  EXPECT_FALSE(foreign->is_of_library);
}

// A record of the caller's own memory has a whole MiB, in which there may be memory of the program.
TEST(Allocations, WhatWasWrittenIsKnownOfMemoryBesideTheCallers) {
  std::vector<char> both(2 * kMiB);
  char* begin = both.data() + (kMiB - reinterpret_cast<uintptr_t>(both.data()) % kMiB) % kMiB;
  check::AllocationMap map;
  check::WrittenBytes written(64);
  map.add(begin + 4096, 64, Space::Host, {&kMade, 64, 0})->written.store(&written);
  check::Worker worker;
  ASSERT_TRUE(worker.find(map, reinterpret_cast<uintptr_t>(begin))->is_foreign);
  EXPECT_EQ(worker.writtenAt(map, reinterpret_cast<uintptr_t>(begin) + 4096, 4).bytes, &written);
}

TEST(Shadows, AreKeptForTheLaunchesThatMayUseThem) {
  check::Shadows shadows;
  bool gone = false, newer_gone = false, unused_gone = false;
  shadows.begin(1);
  shadows.begin(2);
  std::atomic<Flag*> slot{new Flag(gone)}, newer{new Flag(newer_gone)}, unused{new Flag(unused_gone)};
  shadows.drop(slot);
  shadows.begin(3);
  shadows.drop(newer);
  shadows.end(1);
  EXPECT_FALSE(gone) << "2 may use it";
  shadows.end(2);
  EXPECT_TRUE(gone) << "3 came later";
  EXPECT_FALSE(newer_gone);
  shadows.end(3);
  EXPECT_TRUE(newer_gone);
  shadows.drop(unused);
  EXPECT_TRUE(unused_gone) << "nothing runs";
}

class FewRecords : public ::testing::Test {
protected:
  void* make() {
    std::string why;
    return memory.allocate(64, {&kMade, 16}, why).block;
  }
  std::unique_ptr<Device> device = createReferenceDevice({});
  check::Checker checker{check::Settings{BSGP_CHECK_BOUNDS, 20, {}}, 64};
  Memory memory{*device, false, &checker};
};

TEST_F(FewRecords, FreedMemoryGivesItsRecordsToNew) {
  for (int i = 0; i < 500; ++i)
    memory.release(make());
  auto at = reinterpret_cast<uintptr_t>(make());
  const check::Allocation* found = checker.allocations.at(at);
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->begin, at);
  EXPECT_EQ(checker.allocations.unknown(), 0u);
}

TEST_F(FewRecords, MemoryWithoutOneCountsAsTheCallersAndThatIsSaid) {
  for (int i = 0; i < 63; ++i)
    make();
  EXPECT_EQ(checker.allocations.unknown(), 0u);
  auto at = reinterpret_cast<uintptr_t>(make());
  EXPECT_EQ(checker.allocations.unknown(), 1u);
  const check::Allocation* found = checker.allocations.foreignAt(at);
  ASSERT_NE(found, nullptr);
  EXPECT_TRUE(found->is_foreign);
  testing::internal::CaptureStderr();
  checker.reportAll();
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "check: nothing was judged: no code that was compiled with checks has run, 2 allocations were too many to "
            "be watched\n"); // and the MiB of address space
}

} // namespace
