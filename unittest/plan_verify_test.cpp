// links: plan
// One broken plan for each rule.
#include "plan/verify.h"

#include <functional>

#include <gtest/gtest.h>

#include "plan/parse.h"

using namespace bsgp::plan;

namespace {

Plan goodPlan() {
  auto plans = parse(R"(spawn f:2, rank i32, block 256, thread.size at 0, symbol plan.f.0
host frame
  n  4 bytes at 8
  a  8 bytes at 16
superstep 1, lines 3-4
  require   0 f.require.0
  allocate  stream 0  4 bytes/thread
  launch    k1(a, stream 0)
superstep 2, line 5, ranks reassigned
  require   1 f.require.1
  allocate  stream 1  8 bytes/thread
  clear     stream 1
  launch    k2(stream 0, stream 1, old thread.size)
  free      stream 0
superstep 3, line 6
  launch    k3(a, n, stream 1, thread.size)
  free      stream 1
  free      temporaries of scope 1
)");
  EXPECT_TRUE(plans) << plans.message();
  return plans->front();
}

enum {
  First,
  Require0,
  Allocate0,
  Launch1,
  Second,
  Require1,
  Allocate1,
  Clear1,
  Launch2,
  Free0,
  Third,
  Launch3,
  Free1,
  FreeTemps
};

std::string broken(const std::function<void(Plan&)>& change) {
  Plan plan = goodPlan();
  change(plan);
  return verify(plan);
}

std::string withStep(size_t number, Step::Kind kind, uint32_t index) {
  return broken([&](Plan& plan) { plan.steps[number] = {kind, index, {}}; });
}
std::string withStepBefore(size_t number, Step::Kind kind, uint32_t index) {
  return broken([&](Plan& plan) { plan.steps.insert(plan.steps.begin() + long(number), {kind, index, {}}); });
}
std::string without(size_t number) {
  return broken([&](Plan& plan) { plan.steps.erase(plan.steps.begin() + long(number)); });
}

} // namespace

TEST(PlanVerify, AcceptsAPlan) {
  EXPECT_EQ(verify(goodPlan()), "");
  EXPECT_EQ(verify(Plan()), "");
}

TEST(PlanVerify, RanksHave32Or64Bits) {
  EXPECT_EQ(broken([](Plan& plan) { plan.rank_bits = 64; }), "");
  EXPECT_EQ(broken([](Plan& plan) { plan.rank_bits = 16; }), "spawn f:2: ranks of 16 bits");
}

TEST(PlanVerify, BlocksHave1To1024Threads) {
  EXPECT_EQ(broken([](Plan& plan) { plan.block = 1; }), "");
  EXPECT_EQ(broken([](Plan& plan) { plan.block = 1024; }), "");
  EXPECT_EQ(broken([](Plan& plan) { plan.block = 0; }), "spawn f:2: blocks of 0 threads");
  EXPECT_EQ(broken([](Plan& plan) { plan.block = 1025; }), "spawn f:2: blocks of 1025 threads");
}

TEST(PlanVerify, VectorsHaveAPowerOfTwoThreads) {
  EXPECT_EQ(broken([](Plan& plan) { plan.width = 1; }), "");
  EXPECT_EQ(broken([](Plan& plan) { plan.width = 32; }), "");
  EXPECT_EQ(broken([](Plan& plan) { plan.width = 12; }), "spawn f:2: vectors of 12 threads");
  EXPECT_EQ(broken([](Plan& plan) { plan.width = 64; }), "spawn f:2: vectors of 64 threads");
}

TEST(PlanVerify, SlotsAreScalars) {
  EXPECT_EQ(broken([](Plan& plan) { plan.slots[0].bytes = 3; }), "spawn f:2: the slot n has 3 bytes");
  EXPECT_EQ(broken([](Plan& plan) { plan.slots[1].bytes = 16; }), "spawn f:2: the slot a has 16 bytes");
}

TEST(PlanVerify, SlotsShareNoByte) {
  EXPECT_EQ(broken([](Plan& plan) { plan.slots[0].offset = 12; }), "");
  EXPECT_EQ(broken([](Plan& plan) { plan.slots[0].offset = 13; }), "spawn f:2: the slots n and a overlap");
  EXPECT_EQ(broken([](Plan& plan) { plan.slots[0].offset = 4; }), "spawn f:2: the slots thread.size and n overlap");
}

TEST(PlanVerify, SuperstepsBeginInOrder) {
  EXPECT_EQ(without(First), "spawn f:2, superstep 0, step 0 (require 0): a step before the first superstep");
  EXPECT_EQ(withStep(Second, Step::Superstep, 3), "spawn f:2, superstep 1, step 4 (superstep 3): superstep 2 is next");
  EXPECT_EQ(broken([](Plan& plan) { plan.supersteps.resize(2); }),
            "spawn f:2, superstep 2, step 10 (superstep 3): there are 2 supersteps");
  EXPECT_EQ(broken([](Plan& plan) { plan.supersteps.resize(5); }), "spawn f:2: superstep 4 does not begin");
}

TEST(PlanVerify, LinesAreInOrder) {
  EXPECT_EQ(broken([](Plan& plan) { plan.supersteps[1] = {0, 0, true}; }), "");
  EXPECT_EQ(broken([](Plan& plan) { plan.supersteps[1].last_line = 4; }),
            "spawn f:2, superstep 2, step 4 (superstep 2): lines 5 to 4");
  EXPECT_EQ(broken([](Plan& plan) { plan.supersteps[1].first_line = 0; }),
            "spawn f:2, superstep 2, step 4 (superstep 2): lines 0 to 5");
}

TEST(PlanVerify, StepsOfASuperstepAreInOrder) {
  EXPECT_EQ(broken([](Plan& plan) { std::swap(plan.steps[Require0], plan.steps[Allocate0]); }),
            "spawn f:2, superstep 1, step 2 (require 0): require stands behind allocate");
  EXPECT_EQ(broken([](Plan& plan) { std::swap(plan.steps[Clear1], plan.steps[Launch2]); }),
            "spawn f:2, superstep 2, step 8 (clear 1): clear stands behind launch");
  EXPECT_EQ(broken([](Plan& plan) { std::swap(plan.steps[Launch3], plan.steps[FreeTemps]); }),
            "spawn f:2, superstep 3, step 13 (launch 2): launch stands behind free");
}

TEST(PlanVerify, RequiresAreRunOnce) {
  EXPECT_EQ(withStep(Require1, Step::Require, 2), "spawn f:2, superstep 2, step 5 (require 2): there are 2 requires");
  EXPECT_EQ(withStep(Require1, Step::Require, 0), "spawn f:2, superstep 2, step 5 (require 0): it has been run");
  EXPECT_EQ(without(Require1), "spawn f:2: the require f.require.1 is not run");
}

TEST(PlanVerify, KernelsAreLaunchedOnceInTheirSuperstep) {
  EXPECT_EQ(withStep(Launch3, Step::Launch, 3), "spawn f:2, superstep 3, step 11 (launch 3): there are 3 kernels");
  EXPECT_EQ(withStep(Launch3, Step::Launch, 1), "spawn f:2, superstep 3, step 11 (launch 1): kernel 2 is next");
  EXPECT_EQ(withStepBefore(Free0, Step::Launch, 2),
            "spawn f:2, superstep 2, step 9 (launch 2): a second launch in the superstep");
  EXPECT_EQ(without(Launch3), "spawn f:2: the kernel k3 is not launched");
  EXPECT_EQ(broken([](Plan& plan) { plan.kernels[2].superstep = 2; }),
            "spawn f:2, superstep 3, step 11 (launch 2): k3 is of superstep 2");
}

TEST(PlanVerify, ParametersAreThere) {
  EXPECT_EQ(broken([](Plan& plan) { plan.kernels[2].params[1].index = 2; }),
            "spawn f:2, superstep 3, step 11 (launch 2): k3 takes slot 2 of 2");
  EXPECT_EQ(broken([](Plan& plan) { plan.kernels[2].params[2].index = 2; }),
            "spawn f:2, superstep 3, step 11 (launch 2): there are 2 streams");
  EXPECT_EQ(broken([](Plan& plan) { plan.kernels[1].params[0].index = 1; }),
            "spawn f:2, superstep 2, step 8 (launch 1): k2 takes stream 1 twice");
}

TEST(PlanVerify, StreamsAreAllocatedBeforeUse) {
  EXPECT_EQ(without(Allocate0), "spawn f:2, superstep 1, step 2 (launch 0): stream 0 is not allocated");
  EXPECT_EQ(without(Allocate1), "spawn f:2, superstep 2, step 6 (clear 1): stream 1 is not allocated");
  EXPECT_EQ(withStepBefore(Second, Step::Free, 1), "spawn f:2, superstep 1, step 4 (free 1): it is not allocated");
  EXPECT_EQ(withStep(Clear1, Step::Clear, 2), "spawn f:2, superstep 2, step 7 (clear 2): there are 2 streams");
  EXPECT_EQ(broken([](Plan& plan) { plan.streams.resize(3, {4}); }), "spawn f:2: stream 2 is not allocated");
}

TEST(PlanVerify, StreamsAreAllocatedOnceAndHaveASize) {
  EXPECT_EQ(withStep(Allocate1, Step::Allocate, 2), "spawn f:2, superstep 2, step 6 (allocate 2): there are 2 streams");
  EXPECT_EQ(withStep(Allocate1, Step::Allocate, 0),
            "spawn f:2, superstep 2, step 6 (allocate 0): it has been allocated");
  EXPECT_EQ(broken([](Plan& plan) { plan.streams[1].bytes = 0; }),
            "spawn f:2, superstep 2, step 6 (allocate 1): 0 bytes for each thread");
}

TEST(PlanVerify, StreamsAreFreedOnceAndNotUsedAfter) {
  EXPECT_EQ(without(Free1), "spawn f:2: stream 1 is not freed");
  EXPECT_EQ(withStep(Free1, Step::Free, 0), "spawn f:2, superstep 3, step 12 (free 0): it is not allocated any more");
  EXPECT_EQ(withStepBefore(Second, Step::Free, 0),
            "spawn f:2, superstep 2, step 9 (launch 1): stream 0 is not allocated any more");
  EXPECT_EQ(withStep(Free1, Step::Free, 7), "spawn f:2, superstep 3, step 12 (free 7): there are 2 streams");
}

// Superstep 3 would write where there is room for the threads of superstep 1, and read what others have written.
TEST(PlanVerify, StreamsAreNotUsedByOtherRanks) {
  EXPECT_EQ(broken([](Plan& plan) {
              std::swap(plan.steps[Free0], plan.steps[Third]);
              std::swap(plan.steps[Third], plan.steps[Launch3]);
              plan.kernels[2].params.push_back({Param::Stream, 0});
            }),
            "spawn f:2, superstep 3, step 10 (launch 2): stream 0 is for the ranks of before a reassignment");
}

TEST(PlanVerify, Scope0IsTheFunctions) {
  EXPECT_EQ(withStep(FreeTemps, Step::FreeTemps, 0),
            "spawn f:2, superstep 3, step 13 (free temps 0): scope 0 is the function's");
}
