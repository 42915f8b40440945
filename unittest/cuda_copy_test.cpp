// links: runtime
// Copies to, from and within a GPU of any size; the host's memory is its own again when a function returns.
#include "cuda_fixture.h"

#include <cstring>
#include <numeric>

#include "runtime/context.h"

using namespace bsgp::test;

namespace {

constexpr bsgp_site kSite{"test.bsgp", 5, 6, nullptr, 0};

class CudaCopyTest : public CudaTest {
protected:
  void begin() {
    open();
    call = bsgp_rt_begin(context.get());
  }
  void end() { EXPECT_EQ(bsgp_rt_end(call, 0), BSGP_OK) << error(); }

  char* allocate(size_t bytes) {
    void* memory = nullptr;
    EXPECT_EQ(bsgp_alloc(context.get(), bytes, &memory), BSGP_OK) << error();
    return static_cast<char*>(memory);
  }
  int32_t copy(void* to, uint32_t to_space, const void* from, uint32_t from_space, size_t bytes) {
    return bsgp_rt_copy(call, to, to_space, from, from_space, int64_t(bytes), 1, &kSite);
  }
  static std::vector<char> pattern(size_t bytes, int seed = 0) {
    std::vector<char> data(bytes);
    for (size_t i = 0; i < bytes; ++i)
      data[i] = char(i * 7 + i / 253 + size_t(seed));
    return data;
  }

  bsgp_call* call = nullptr;
};

} // namespace

TEST_F(CudaCopyTest, MovesBytesOfAnyNumberThereAndBack) {
  begin();
  for (size_t bytes : {size_t(1), size_t(63), size_t(64), size_t(100'000), size_t(1) << 20, (size_t(1) << 20) + 1,
                       size_t(4) << 20, (size_t(12) << 20) + 7}) {
    char* memory = allocate(bytes);
    auto from = pattern(bytes);
    ASSERT_EQ(copy(memory, BSGP_DEVICE, from.data(), BSGP_HOST, bytes), BSGP_OK);
    std::fill(from.begin(), from.end(), 'x'); // ours again
    std::vector<char> to(bytes + 1, 'y');
    ASSERT_EQ(copy(to.data(), BSGP_HOST, memory, BSGP_DEVICE, bytes), BSGP_OK);
    EXPECT_EQ(std::memcmp(to.data(), pattern(bytes).data(), bytes), 0) << bytes;
    EXPECT_EQ(to[bytes], 'y');
    bsgp_free(context.get(), memory);
  }
  end();
}

TEST_F(CudaCopyTest, DoesNotWaitForTheDeviceToTakeALittle) {
  begin();
  char* memory = allocate(1 << 20);
  auto from = pattern(1 << 20);
  fake->calls.clear();
  for (int i = 0; i < 3; ++i)
    ASSERT_EQ(copy(memory, BSGP_DEVICE, from.data(), BSGP_HOST, from.size()), BSGP_OK);
  EXPECT_EQ(count("cuStreamSynchronize") + count("cuEventSynchronize"), 0);
  for (int i = 0; i < 20; ++i)
    ASSERT_EQ(copy(memory, BSGP_DEVICE, from.data(), BSGP_HOST, from.size()), BSGP_OK);
  EXPECT_EQ(count("cuEventSynchronize"), 4) << "a buffer is filled again when it has arrived";
  bsgp_free(context.get(), memory);
  end();
}

TEST_F(CudaCopyTest, KeepsPiecesInFlightWhileTheHostCopies) {
  begin();
  size_t bytes = size_t(12) << 20;
  char* memory = allocate(bytes);
  std::vector<char> to(bytes);
  fake->calls.clear();
  ASSERT_EQ(copy(to.data(), BSGP_HOST, memory, BSGP_DEVICE, bytes), BSGP_OK);
  std::vector<std::string> order;
  for (const std::string& made : fake->calls)
    if (made.starts_with("cuMemcpyDtoHAsync") || made.starts_with("cuEventSynchronize"))
      order.push_back(made.substr(2, 6));
  EXPECT_EQ(order, (std::vector<std::string>{"Memcpy", "Memcpy", "EventS", "Memcpy", "EventS", "EventS"}));
  bsgp_free(context.get(), memory);
  end();
}

TEST_F(CudaCopyTest, MovesOverlappingRanges) {
  begin();
  size_t most = (size_t(33) << 20) + 13;
  char* memory = allocate(most + 5000);
  for (size_t bytes : {size_t(10), size_t(4096), size_t(100'003), most})
    for (size_t distance : {size_t(1), size_t(64), bytes / 3, bytes - 1})
      for (bool upwards : {false, true}) {
        if (bytes == most && distance > 4096)
          continue;
        auto data = pattern(bytes, int(distance));
        char *from = memory + (upwards ? 0 : distance), *to = memory + (upwards ? distance : 0);
        ASSERT_EQ(copy(from, BSGP_DEVICE, data.data(), BSGP_HOST, bytes), BSGP_OK);
        ASSERT_EQ(copy(to, BSGP_DEVICE, from, BSGP_DEVICE, bytes), BSGP_OK) << call->message;
        std::vector<char> back(bytes);
        ASSERT_EQ(copy(back.data(), BSGP_HOST, to, BSGP_DEVICE, bytes), BSGP_OK);
        ASSERT_EQ(std::memcmp(back.data(), data.data(), bytes), 0) << bytes << " by " << distance;
      }
  bsgp_free(context.get(), memory);
  end();
}

TEST_F(CudaCopyTest, MovesWithinTheHost) {
  begin();
  auto from = pattern(1000);
  std::vector<char> to(1000);
  ASSERT_EQ(copy(to.data(), BSGP_HOST, from.data(), BSGP_HOST, 1000), BSGP_OK);
  EXPECT_EQ(to, from);
  end();
}

TEST_F(CudaCopyTest, NamesThePlaceOfWhatFails) {
  begin();
  char* memory = allocate(1000);
  auto from = pattern(1000);
  fake->failures["cuMemcpyHtoDAsync_v2"] = {1, 1};
  EXPECT_EQ(copy(memory, BSGP_DEVICE, from.data(), BSGP_HOST, 1000), BSGP_FAILED);
  EXPECT_EQ(call->message, "test.bsgp:5:6: error: cuMemcpyHtoDAsync of 1000 bytes: CUDA_ERROR_INVALID_VALUE (a text)");
  fake->failures["cuMemcpyDtoHAsync_v2"] = {1, 1};
  EXPECT_EQ(copy(from.data(), BSGP_HOST, memory, BSGP_DEVICE, 1000), BSGP_FAILED);
  EXPECT_EQ(call->message, "test.bsgp:5:6: error: cuMemcpyDtoHAsync of 1000 bytes: CUDA_ERROR_INVALID_VALUE (a text)");
  fake->failures["cuMemcpyDtoDAsync_v2"] = {1, 1};
  EXPECT_EQ(copy(memory, BSGP_DEVICE, memory + 500, BSGP_DEVICE, 500), BSGP_FAILED);
  EXPECT_EQ(call->message, "test.bsgp:5:6: error: cuMemcpyDtoDAsync of 500 bytes: CUDA_ERROR_INVALID_VALUE (a text)");
  bsgp_free(context.get(), memory);
  end();
}

TEST_F(CudaCopyTest, GrowsAListInTheStream) {
  begin();
  bsgp_dlist list{};
  ASSERT_EQ(bsgp_rt_dlist_resize(call, &list, 100, 4, &kSite), BSGP_OK);
  std::vector<int> values(100), back(100);
  std::iota(values.begin(), values.end(), 0);
  ASSERT_EQ(copy(list.data, BSGP_DEVICE, values.data(), BSGP_HOST, 400), BSGP_OK);
  fake->calls.clear();
  ASSERT_EQ(bsgp_rt_dlist_resize(call, &list, 1000, 4, &kSite), BSGP_OK);
  EXPECT_EQ(fake->calls,
            (std::vector<std::string>{"cuMemAllocFromPoolAsync 4000", "cuMemcpyDtoDAsync_v2 400", "cuMemFreeAsync"}));
  ASSERT_EQ(copy(back.data(), BSGP_HOST, list.data, BSGP_DEVICE, 400), BSGP_OK);
  EXPECT_EQ(back, values);
  bsgp_rt_dlist_free(call, &list);
  end();
}

TEST_F(CudaCopyTest, HasDoneItsWorkWhenTheCallersFunctionReturns) {
  open();
  char* memory = allocate(1000);
  auto from = pattern(1000);
  std::vector<char> to(1000);
  ASSERT_EQ(bsgp_copy_to_device(context.get(), memory, from.data(), 1000), BSGP_OK);
  EXPECT_FALSE(fake->has_pending_work);
  ASSERT_EQ(bsgp_copy_to_host(context.get(), to.data(), memory, 1000), BSGP_OK);
  EXPECT_EQ(to, from);
  bsgp_free(context.get(), memory);
}
