// bsgp_set_interrupt: calls that are long end when the program around asks for it, and everything works afterwards.
#include <atomic>
#include <chrono>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "bsgp/bsgp.hpp"

#pragma GCC diagnostic ignored "-Wmissing-field-initializers" // options are zero but for what is named

namespace {

using Clock = std::chrono::steady_clock;

constexpr const char* kProgram = R"(
export rounds(int* p, int n, long count) {
  spawn (n) {
    int sum = 0;
    for (long i = 0; i < count; i++) {
      p[thread.rank] += 1;
      barrier;
      sum += p[(thread.rank + 1) % n];
      barrier;
    }
    p[thread.rank] = sum;
  }
}
export spawns(int* p, int n, long count) {
  for (long i = 0; i < count; i++)
    spawn (n) { p[thread.rank] += 1; }
}
export blocks(int* p, long n, int work) {
  spawn (n) {
    int x = p[0] | 1;
    for (int i = 0; i < work; i++)
      x = x * 1664525 + (x >> 5);
    if (x == 0)
      p[0] = x;
  }
}
export int twice(int n) { return 2 * n; }
)";

std::atomic<int64_t> asks{0}, asked_on_another{0};
Clock::time_point end_at;
std::thread::id asking_thread;

int isTime() {
  ++asks;
  asked_on_another += std::this_thread::get_id() != asking_thread;
  return Clock::now() >= end_at;
}
int never() {
  ++asks;
  return 0;
}

struct InterruptSet {
  explicit InterruptSet(int (*function)()) { bsgp_set_interrupt(function); }
  ~InterruptSet() { bsgp_set_interrupt(nullptr); }
};

// Asks for an end 100 ms after the begin of the call. Returns its status and how long it went on after that, in ms.
std::pair<bsgp_status, double> interrupted(const std::function<bsgp_status()>& call) {
  InterruptSet set(isTime);
  asks = asked_on_another = 0;
  asking_thread = std::this_thread::get_id();
  end_at = Clock::now() + std::chrono::milliseconds(100);
  bsgp_status status = call();
  double late = std::chrono::duration<double, std::milli>(Clock::now() - end_at).count();
  EXPECT_EQ(asked_on_another, 0);
  return {status, late};
}

struct Case {
  const char* target;
  uint32_t threads;
};

class Interrupted : public testing::TestWithParam<Case> {
protected:
  Interrupted()
      : program(kProgram, {.name = "long.bsgp", .reference = std::string(GetParam().target) == "reference"}),
        context({.target = GetParam().target, .threads = GetParam().threads}) {}

  void endsInTime(const std::function<bsgp_status()>& call) {
    auto [status, late] = interrupted(call);
    EXPECT_EQ(status, BSGP_INTERRUPTED) << bsgp_error_message();
    EXPECT_LT(late, 200);
    std::string message = bsgp_error_message();
    EXPECT_NE(message.find("long.bsgp:"), std::string::npos) << message;
    EXPECT_NE(message.find("interrupted: "), std::string::npos) << message;
    EXPECT_EQ(context.memory().live_blocks, 1u);
    EXPECT_EQ(program.function<int(int)>("twice")(context, 21), 42);
  }

  template <class Signature> auto function(const char* name) {
    for (const bsgp_export* each : program.exports())
      if (each->name == std::string(name))
        return reinterpret_cast<Signature*>(each->address);
    return static_cast<Signature*>(nullptr);
  }

  bsgp::Program program;
  bsgp::Context context;
};

} // namespace

TEST_P(Interrupted, EndsBetweenRounds) {
  bsgp::DeviceArray<int> data(context, std::vector<int>(1000));
  auto rounds = function<bsgp_status(bsgp_context*, int*, int, int64_t)>("rounds");
  endsInTime([&] { return rounds(context.get(), data.data(), 1000, int64_t(1) << 40); });
  data.set(std::vector<int>(1000));
  ASSERT_EQ(rounds(context.get(), data.data(), 1000, 3), BSGP_OK);
  EXPECT_EQ(data.toHost(), std::vector<int>(1000, 6));
}

TEST_P(Interrupted, EndsBetweenLaunches) {
  bsgp::DeviceArray<int> data(context, std::vector<int>(10));
  auto spawns = function<bsgp_status(bsgp_context*, int*, int, int64_t)>("spawns");
  endsInTime([&] { return spawns(context.get(), data.data(), 10, int64_t(1) << 40); });
}

TEST_P(Interrupted, EndsBetweenBlocks) {
  bsgp::DeviceArray<int> data(context, std::vector<int>(1));
  auto blocks = function<bsgp_status(bsgp_context*, int*, int64_t, int)>("blocks");
  endsInTime([&] { return blocks(context.get(), data.data(), 1'000'000'000, 1000); });
  endsInTime([&] { return blocks(context.get(), data.data(), 10'000'000, 20'000); });
}

TEST_P(Interrupted, IsNotWhereNobodyAsksForAnEnd) {
  InterruptSet set(never);
  bsgp::DeviceArray<int> data(context, std::vector<int>(1));
  auto spawns = function<bsgp_status(bsgp_context*, int*, int, int64_t)>("spawns");
  asks = 0;
  auto begin = Clock::now();
  EXPECT_EQ(spawns(context.get(), data.data(), 1, 1'000'000), BSGP_OK);
  double ms = std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
  EXPECT_EQ(data.toHost()[0], 1'000'000);
  EXPECT_LE(asks, int64_t(ms / 50) + 1);
}

INSTANTIATE_TEST_SUITE_P(OnCpus, Interrupted,
                         testing::Values(Case{"cpu", 1}, Case{"cpu", 2}, Case{"cpu", 5}, Case{"reference", 1}),
                         [](const auto& info) {
                           return std::string(info.param.target) + std::to_string(info.param.threads);
                         });

// A second call in the same context works alone while the first one has the threads.
TEST(InterruptedCalls, EndEachOnItsOwnThread) {
  bsgp::Program program(kProgram);
  bsgp::Context context({.threads = 3});
  bsgp::DeviceArray<int> data(context, std::vector<int>(1));
  static thread_local int asked_here = 0;
  InterruptSet set([] { return int(++asked_here > 3); });
  std::atomic<int> interrupted{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 2; ++t)
    threads.emplace_back([&] {
      try {
        program.function<void(int*, int64_t, int)>("blocks")(context, data.data(), 1'000'000'000, 1000);
      } catch (const bsgp::Exception& exception) {
        interrupted += exception.status == BSGP_INTERRUPTED;
      }
    });
  for (std::thread& thread : threads)
    thread.join();
  EXPECT_EQ(interrupted, 2);
}
