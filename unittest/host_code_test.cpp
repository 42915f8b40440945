// What compiled host code asks of the runtime beside spawns.
// links: runtime
#include <cmath>
#include <cstring>

#include <gtest/gtest.h>

#include "plan_fixture.h"
#include "runtime/print.h"
#include "runtime/symbols.h"

using namespace bsgp::test;

namespace {

class HostCode : public testing::Test {
protected:
  ContextOwner context = makeContext();
  bsgp_call* call = bsgp_rt_begin(context.get());

  int32_t end(int32_t status) {
    bsgp_call* ended = call;
    call = nullptr;
    return bsgp_rt_end(ended, status);
  }
  void TearDown() override {
    if (call)
      bsgp_rt_end(call, 0);
  }
  uint64_t live() { return memoryOf(context.get()).live_blocks; }
};

constexpr bsgp_site kSite{"a.bsgp", 3, 4, "float", 0};

} // namespace

TEST_F(HostCode, FreesWhatItAllocates) {
  void *a = nullptr, *b = nullptr;
  ASSERT_EQ(bsgp_rt_dnew(call, 100, 4, &kSite, &a), 0);
  ASSERT_EQ(bsgp_rt_dnew(call, 0, 4, &kSite, &b), 0);
  EXPECT_NE(b, nullptr);
  EXPECT_EQ(uintptr_t(a) % 64, 0u);
  EXPECT_EQ(static_cast<unsigned char*>(a)[399], 0xCB);
  EXPECT_EQ(bsgp_rt_dfree(call, a, &kSite), 0);
  EXPECT_EQ(bsgp_rt_dfree(call, b, &kSite), 0);
  EXPECT_EQ(bsgp_rt_dfree(call, nullptr, &kSite), 0);
  EXPECT_EQ(live(), 0u);
}

TEST_F(HostCode, RefusesToFreeTwice) {
  void* a = nullptr;
  ASSERT_EQ(bsgp_rt_dnew(call, 100, 4, &kSite, &a), 0);
  EXPECT_EQ(bsgp_rt_dfree(call, a, &kSite), 0);
  EXPECT_EQ(end(bsgp_rt_dfree(call, a, &kSite)), BSGP_FAILED);
  EXPECT_EQ(std::string(bsgp_error_message()).find("a.bsgp:3:4: error: dfree of 0x"), 0u) << bsgp_error_message();
}

TEST_F(HostCode, SaysWhatCouldNotBeAllocated) {
  void* a = &a;
  EXPECT_EQ(end(bsgp_rt_dnew(call, 1'000'000'000'000, 4, &kSite, &a)), BSGP_OUT_OF_MEMORY);
  EXPECT_STREQ(bsgp_error_message(),
               "a.bsgp:3:4: error: cannot allocate 4000000000000 bytes for device memory of 1000000000000 x float");
  EXPECT_EQ(a, nullptr);
}

TEST_F(HostCode, RefusesNegativeAndOverflowingCounts) {
  void* a = nullptr;
  EXPECT_EQ(bsgp_rt_dnew(call, -1, 4, &kSite, &a), BSGP_FAILED);
  EXPECT_EQ(bsgp_rt_dnew(call, INT64_MAX / 2, 8, &kSite, &a), BSGP_OUT_OF_MEMORY);
  EXPECT_EQ(bsgp_rt_new(call, -1, 4, &kSite, &a), BSGP_FAILED);
  EXPECT_EQ(bsgp_rt_new(call, INT64_MAX / 2, 8, &kSite, &a), BSGP_OUT_OF_MEMORY);
  EXPECT_EQ(bsgp_rt_copy(call, a, BSGP_HOST, a, BSGP_DEVICE, -1, 4, &kSite), BSGP_FAILED);
}

TEST_F(HostCode, FreesTemporariesWhenTheirFunctionReturns) {
  void *a = nullptr, *b = nullptr;
  int64_t outer = bsgp_rt_scope_open(call);
  ASSERT_EQ(bsgp_rt_dtempnew(call, 10, 4, 0, &kSite, &a), 0);
  int64_t inner = bsgp_rt_scope_open(call);
  ASSERT_EQ(bsgp_rt_dtempnew(call, 10, 4, 0, &kSite, &b), 0);
  EXPECT_EQ(live(), 2u);
  bsgp_rt_scope_close(call, inner);
  EXPECT_EQ(live(), 1u);
  EXPECT_EQ(bsgp_rt_dfree(call, a, &kSite), 0) << "the program may free it itself";
  void* c = nullptr;
  ASSERT_EQ(bsgp_rt_dnew(call, 10, 4, &kSite, &c), 0);
  bsgp_rt_scope_close(call, outer);
  EXPECT_EQ(live(), 1u) << "the same address, another allocation";
  bsgp_rt_dfree(call, c, &kSite);
}

TEST_F(HostCode, FreesTemporariesAtTheEndOfAFailedCall) {
  void* a = nullptr;
  bsgp_rt_dtempnew(call, 10, 4, 0, &kSite, &a);
  bsgp_rt_dtempnew(call, 10, 4, 3, &kSite, &a);
  EXPECT_EQ(end(bsgp_rt_fail(call, BSGP_FAIL_ASSERT, &kAssertSite)), BSGP_FAILED);
  EXPECT_EQ(live(), 0u);
  EXPECT_STREQ(bsgp_error_message(), "test.bsgp:16:9: error: assertion failed: i < n");
}

TEST_F(HostCode, NewsAndDeletesHostMemory) {
  void* a = nullptr;
  ASSERT_EQ(bsgp_rt_new(call, 10, 4, &kSite, &a), 0);
  EXPECT_EQ(bsgp_rt_delete(call, a, &kSite), 0);
  EXPECT_EQ(bsgp_rt_delete(call, nullptr, &kSite), 0);
  EXPECT_EQ(bsgp_rt_delete(call, a, &kSite), BSGP_FAILED);
}

TEST_F(HostCode, CopiesBetweenSpaces) {
  int values[4] = {1, 2, 3, 4}, back[4] = {};
  void* device = nullptr;
  ASSERT_EQ(bsgp_rt_dnew(call, 4, 4, &kSite, &device), 0);
  EXPECT_EQ(bsgp_rt_copy(call, device, BSGP_DEVICE, values, BSGP_HOST, 4, 4, &kSite), 0);
  EXPECT_EQ(bsgp_rt_copy(call, back, BSGP_HOST, device, BSGP_DEVICE, 4, 4, &kSite), 0);
  EXPECT_EQ(std::memcmp(values, back, sizeof back), 0);
  EXPECT_EQ(bsgp_rt_copy(call, nullptr, BSGP_HOST, nullptr, BSGP_DEVICE, 0, 4, &kSite), 0);
  EXPECT_EQ(bsgp_rt_copy(call, nullptr, BSGP_HOST, device, BSGP_DEVICE, 1, 4, &kSite), BSGP_FAILED);
  bsgp_rt_dfree(call, device, &kSite);
}

TEST_F(HostCode, ResizesAListAndKeepsItsElements) {
  bsgp_dlist list{};
  for (int i = 0; i < 1000; ++i) {
    ASSERT_EQ(bsgp_rt_dlist_resize(call, &list, i + 1, 4, &kSite), 0);
    static_cast<int*>(list.data)[i] = i;
  }
  EXPECT_EQ(list.n, 1000);
  for (int i = 0; i < 1000; ++i)
    ASSERT_EQ(static_cast<int*>(list.data)[i], i);
  EXPECT_EQ(live(), 1u);
  ASSERT_EQ(bsgp_rt_dlist_resize(call, &list, 0, 4, &kSite), 0);
  EXPECT_EQ(list.n, 0);
  EXPECT_EQ(bsgp_rt_dlist_resize(call, &list, -1, 4, &kSite), BSGP_FAILED);
  bsgp_rt_dlist_free(call, &list);
  EXPECT_EQ(list.data, nullptr);
  EXPECT_EQ(live(), 0u);
}

TEST_F(HostCode, ReservesRoomBehindAList) {
  bsgp_dlist list{};
  EXPECT_EQ(bsgp_rt_dlist_reserve(call, &list, -1, 4, &kSite), BSGP_FAILED);
  ASSERT_EQ(bsgp_rt_dlist_resize(call, &list, 3, 4, &kSite), 0);
  static_cast<int*>(list.data)[2] = 7;
  ASSERT_EQ(bsgp_rt_dlist_reserve(call, &list, 100, 4, &kSite), 0);
  EXPECT_EQ(list.n, 3);
  EXPECT_GE(list.capacity, 100);
  auto* data = static_cast<int*>(list.data);
  EXPECT_EQ(data[2], 7);
  data[99] = 8;
  ASSERT_EQ(bsgp_rt_dlist_reserve(call, &list, 50, 4, &kSite), 0);
  ASSERT_EQ(bsgp_rt_dlist_resize(call, &list, 100, 4, &kSite), 0);
  EXPECT_EQ(list.data, data);
  EXPECT_EQ(data[99], 8);
  bsgp_rt_dlist_free(call, &list);
  EXPECT_EQ(live(), 0u);
}

namespace {
int32_t recurse(bsgp_call* call, int depth, int& deepest) {
  if (int32_t status = bsgp_rt_enter(call, &kSite))
    return status;
  deepest = std::max(deepest, depth);
  volatile char frame[256];
  frame[0] = 1;
  int32_t status = recurse(call, depth + 1, deepest);
  frame[1] = frame[0];
  bsgp_rt_leave(call);
  return status;
}
} // namespace

TEST_F(HostCode, FailsBeforeTheStackEnds) {
  int deepest = 0;
  EXPECT_EQ(end(recurse(call, 0, deepest)), BSGP_FAILED);
  EXPECT_GT(deepest, 1000);
  EXPECT_EQ(std::string(bsgp_error_message()).find("a.bsgp:3:4: error: recursion too deep"), 0u);
}

TEST_F(HostCode, NestsCalls) {
  bsgp_call* inner = bsgp_rt_begin(context.get());
  EXPECT_NE(inner, call);
  EXPECT_EQ(bsgp_rt_end(inner, bsgp_rt_fail(inner, BSGP_FAIL_DIVIDE, &kSite)), BSGP_FAILED);
  EXPECT_EQ(end(0), 0);
}

TEST(Symbols, AreAllThere) {
  for (const auto& symbol : bsgp::runtime::symbols())
    EXPECT_NE(symbol.address, nullptr) << symbol.name;
}

namespace {
template <class... Values> std::string print(const char* format, Values... values) {
  [[maybe_unused]] auto slot = [](auto value) {
    uint64_t bits;
    if constexpr (std::is_floating_point_v<decltype(value)>)
      bits = std::bit_cast<uint64_t>(double(value));
    else if constexpr (std::is_pointer_v<decltype(value)>)
      bits = uint64_t(uintptr_t(value));
    else
      bits = uint64_t(int64_t(value));
    return bits;
  };
  std::vector<uint64_t> slots{slot(values)...};
  return bsgp::runtime::formatSlots(format, slots);
}
} // namespace

TEST(Print, FormatsAsC) {
  EXPECT_EQ(print("plain"), "plain");
  EXPECT_EQ(print("%d %i|%5d|%-5d|%05d|%+d", -1, 2, 3, 4, 5, 6), "-1 2|    3|4    |00005|+6");
  EXPECT_EQ(print("%lld %ld %zd %hhd", INT64_MIN, int64_t(1) << 40, int64_t(7), 300),
            "-9223372036854775808 1099511627776 7 44");
  EXPECT_EQ(print("%d", int64_t(1) << 40), "1099511627776");
  EXPECT_EQ(print("%u %x %X %o %#x", -1, -1, 255, 8, 16), "4294967295 ffffffff FF 10 0x10");
  EXPECT_EQ(print("%lu %hx", int64_t(-1), -1), "18446744073709551615 ffff");
  EXPECT_EQ(print("%f %.2f %8.3f|%e %g %G", 1.5, 2.345, -1.0, 1.0, 1e20, 1e-9),
            "1.500000 2.35   -1.000|1.000000e+00 1e+20 1E-09");
  EXPECT_EQ(print("%a %F", 1.0, INFINITY), "0x1p+0 INF");
  EXPECT_EQ(print("%s|%5s|%-5s|%.2s", "a", "b", "c", "def"), "a|    b|c    |de");
  EXPECT_EQ(print("%s", static_cast<const char*>(nullptr)), "(null)");
  EXPECT_EQ(print("%c%c", 'x', 'y'), "xy");
  EXPECT_EQ(print("%p", reinterpret_cast<void*>(0x10)), "0x10");
  EXPECT_EQ(print("100%%"), "100%");
}

TEST(Print, TakesWidthAndPrecisionFromArguments) {
  EXPECT_EQ(print("%*d|%-*d|%*d", 4, 1, 4, 2, -4, 3), "   1|2   |3   ");
  EXPECT_EQ(print("%.*f %.*f", 1, 2.25, -1, 2.25), "2.2 2.250000");
}

TEST(Print, SurvivesBadFormats) {
  EXPECT_EQ(print("%d %d", 1), "1 %d");
  EXPECT_EQ(print("%"), "%");
  EXPECT_EQ(print("%n %y", 1, 2), "%n %y");
  EXPECT_EQ(print("%99999999999d", 1).size(), size_t(1) << 16);
}

TEST(Print, WritesWholeLinesToStdout) {
  testing::internal::CaptureStdout();
  uint64_t slots[] = {42};
  bsgp_rt_print("n = %d\n", 1, slots);
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "n = 42\n");
}
