// links: runtime
// Which of the machines that a program is compiled for the runtime takes.
#include <cstdlib>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "runtime/context.h"
#include "runtime/cpu_choice.h"

namespace bsgp::runtime {
namespace {

constexpr uint64_t kNobody = uint64_t(1) << 63; // a feature of a future compiler

void oldKernel(const bsgp_launch*, int64_t, int64_t) {}
void newKernel(const bsgp_launch*, int64_t, int64_t) {}
void futureKernel(const bsgp_launch*, int64_t, int64_t) {}

// A program of two kernels for an old machine, this one and a future one.
struct Program {
  bsgp_kernel_fn first = nullptr, second = nullptr;
  bsgp_kernel_fn* slots[2] = {&first, &second};
  bsgp_kernel_fn kernels[3][2] = {{oldKernel, oldKernel}, {newKernel, newKernel}, {futureKernel, futureKernel}};
  bsgp_cpu cpus[3] = {{"old", 0, kernels[0]}, {"new", machineFeatures(), kernels[1]}, {"future", kNobody, kernels[2]}};
  bsgp_cpus table{0, 3, 2, cpus, slots};
};

TEST(CpuChoice, TakesTheLastThatThisMachineIsLike) {
  Program program;
  auto number = chooseCpu(program.table, nullptr);
  ASSERT_TRUE(number) << number.message();
  EXPECT_EQ(*number, 1u);
  program.table.cpu_count = 1;
  EXPECT_EQ(*chooseCpu(program.table, ""), 0u);
}

TEST(CpuChoice, TakesTheOneThatIsWanted) {
  Program program;
  EXPECT_EQ(*chooseCpu(program.table, "old"), 0u);
  EXPECT_EQ(chooseCpu(program.table, "future").message(),
            "BSGP_CPU is future, and this machine lacks feature 63 of a newer compiler");
  EXPECT_EQ(chooseCpu(program.table, "ol").message(),
            "BSGP_CPU is 'ol'; the program is compiled for old, new and future");
}

TEST(CpuChoice, SaysWhatIsMissing) {
  Program program;
  program.table.cpus = &program.cpus[2];
  program.table.cpu_count = 1;
  EXPECT_EQ(chooseCpu(program.table, nullptr).message(),
            "the program is compiled for future, and this machine lacks feature 63 of a newer compiler\n"
            "  help: compile it with an older CPU before these: --cpu x86-64,future");
}

TEST(CpuChoice, PutsTheKernelsInPlaceOnceForAllThreads) {
  unsetenv("BSGP_CPU");
  Program program;
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i)
    threads.emplace_back([&] {
      EXPECT_EQ(bsgp_rt_choose_cpu(nullptr, &program.table), BSGP_OK);
      EXPECT_EQ(program.first, newKernel);
      EXPECT_EQ(program.second, newKernel);
    });
  for (std::thread& thread : threads)
    thread.join();
  EXPECT_EQ(program.table.chosen, 2u);
}

TEST(CpuChoice, RefusesWithAStatusAndAsksAgain) {
  Program program;
  setenv("BSGP_CPU", "future", 1);
  EXPECT_EQ(bsgp_rt_choose_cpu(nullptr, &program.table), BSGP_UNAVAILABLE);
  EXPECT_EQ(std::string(bsgp_error_message()).find("BSGP_CPU is future"), 0u);
  bsgp_call call;
  EXPECT_EQ(bsgp_rt_choose_cpu(&call, &program.table), BSGP_UNAVAILABLE);
  EXPECT_EQ(call.message.find("error: BSGP_CPU is future"), 0u);
  EXPECT_EQ(program.table.chosen, 0u);
  EXPECT_EQ(program.first, nullptr);
  setenv("BSGP_CPU", "old", 1);
  EXPECT_EQ(bsgp_rt_choose_cpu(nullptr, &program.table), BSGP_OK);
  EXPECT_EQ(program.second, oldKernel);
  unsetenv("BSGP_CPU");
}

} // namespace
} // namespace bsgp::runtime
