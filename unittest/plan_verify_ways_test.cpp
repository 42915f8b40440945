// links: plan
// One broken plan for each rule of branches, jumps, and streams that share or exchange memory.
#include "plan/verify.h"

#include <functional>

#include <gtest/gtest.h>

#include "plan/parse.h"

using namespace bsgp::plan;

namespace {

Plan goodPlan() {
  auto plans = parse(R"(spawn f:2, rank i32, block 256, thread.size at 0, decision at 16, symbol plan.f.0
host frame
  n  4 bytes at 8
superstep 1, line 3
  allocate  stream 0  4 bytes/thread
  launch    k1(stream 0)
L1:
superstep 2, line 4, then 3 or 4
  decide  0 f.decide.0
  branch  0 to L2
  jump    to L3
L2:
superstep 3, line 5, then 2
  allocate  stream 1  4 bytes/thread
  launch    k3(stream 0, stream 1)
  free      stream 0
  move      stream 1 to stream 0  4 bytes/thread
  free      stream 1
  jump      to L1
L3:
superstep 4, line 6
  launch  k4(stream 0)
  free    stream 0
)");
  EXPECT_TRUE(plans) << plans.message();
  return plans->front();
}

enum {
  First,
  Allocate0,
  Launch1,
  Second,
  Decide,
  Branch,
  JumpOut,
  Third,
  Allocate1,
  Launch3,
  Free0,
  Move,
  Free1,
  JumpBack,
  Fourth,
  Launch4,
  LastFree,
  End
};

std::string broken(const std::function<void(Plan&)>& change) {
  Plan plan = goodPlan();
  change(plan);
  return verify(plan);
}

std::string withStep(size_t number, Step step) {
  return broken([&](Plan& plan) { plan.steps[number] = std::move(step); });
}

// What leads to later steps still does.
void insertBefore(Plan& plan, size_t number, const Step& step) {
  for (Step& other : plan.steps)
    if (jumps(other) && other.other > number)
      ++other.other;
  plan.steps.insert(plan.steps.begin() + long(number), step);
}
std::string withStepBefore(size_t number, const Step& step) {
  return broken([&](Plan& plan) { insertBefore(plan, number, step); });
}
std::string without(size_t number) {
  return broken([&](Plan& plan) {
    plan.steps.erase(plan.steps.begin() + long(number));
    for (Step& step : plan.steps)
      step.other -= jumps(step) && step.other > number;
  });
}

} // namespace

TEST(PlanVerifyWays, AcceptsALoop) {
  EXPECT_EQ(verify(goodPlan()), "");
}

TEST(PlanVerifyWays, LeadToSuperstepsAndEdges) {
  EXPECT_EQ(withStep(JumpBack, {Step::Jump, 0, {}, 99}),
            "spawn f:2, superstep 3, step 13 (jump 99): there are 17 steps");
  EXPECT_EQ(withStep(Branch, {Step::Branch, 0, {}, Launch3}),
            "spawn f:2, superstep 2, step 7 (superstep 3): no step before it leads here");
  EXPECT_EQ(withStepBefore(JumpOut, {Step::Branch, 1, {}, Launch3 + 1}),
            "spawn f:2, superstep 3, step 10 (launch 1): a branch or jump leads here");
  EXPECT_EQ(withStep(JumpBack, {Step::Jump, 0, {}, Decide}),
            "spawn f:2, superstep 2, step 4 (decide 0): a branch or jump leads here");
}

TEST(PlanVerifyWays, LeadToEachStep) {
  EXPECT_EQ(broken([](Plan& plan) {
              insertBefore(plan, Third, {Step::FreeTemps, 1, {}});
              plan.steps[Branch].other = Third + 1;
            }),
            "spawn f:2, superstep 2, step 7 (free temps 1): no step before it leads here");
  EXPECT_EQ(withStep(JumpOut, {Step::Jump, 0, {}, End}),
            "spawn f:2, superstep 3, step 14 (superstep 4): no step before it leads here");
}

TEST(PlanVerifyWays, MeetWithTheSameStreams) {
  EXPECT_EQ(without(Free1),
            "spawn f:2, superstep 3, step 12 (jump 3): stream 1 is allocated on this way to step 3, and "
            "is not on another");
  EXPECT_EQ(without(Move), "spawn f:2, superstep 3, step 12 (jump 3): stream 0 is not allocated on this way to step 3, "
                           "and is on another");
  EXPECT_EQ(broken([](Plan& plan) {
              plan.steps[JumpBack].other = Fourth;
              plan.steps[Free1] = {Step::FreeTemps, 1, {}};
            }),
            "spawn f:2, superstep 3, step 13 (jump 14): stream 1 is allocated on this way to step 14, and is not on "
            "another");
  EXPECT_EQ(
      broken([](Plan& plan) {
        plan.steps.erase(plan.steps.begin() + JumpBack);
        plan.steps[JumpOut].other = Third;
        plan.steps[Branch].other = Third;
        insertBefore(plan, JumpOut, {Step::Free, 0, {}});
      }),
      "spawn f:2, superstep 2, step 7 (jump 8): stream 0 is not allocated on this way to step 8, and is on another");
}

TEST(PlanVerifyWays, EndWithoutStreams) {
  EXPECT_EQ(withStep(JumpBack, {Step::Jump, 0, {}, End}),
            "spawn f:2: stream 0 is not allocated on this way to step 17, and is on another");
  EXPECT_EQ(without(LastFree), "spawn f:2: stream 0 is not freed");
  EXPECT_EQ(broken([](Plan& plan) { plan.streams.resize(3, {4}); }), "spawn f:2: stream 2 is not allocated");
}

TEST(PlanVerifyWays, DecisionsAreBeforeTheirBranches) {
  EXPECT_EQ(without(Branch), "spawn f:2, superstep 2, step 5 (jump 13): jump stands behind decide");
  EXPECT_EQ(withStepBefore(Branch, {Step::Free, 0, {}}), "spawn f:2, superstep 2, step 5 (free 0): free stands behind "
                                                         "decide");
  EXPECT_EQ(without(Decide), "spawn f:2, superstep 2, step 4 (branch 0): branch stands behind superstep");
  EXPECT_EQ(withStep(Branch, {Step::Branch, 1, {}, Third}), "spawn f:2, superstep 2, step 5 (branch 1): way 0 is next");
  EXPECT_EQ(withStepBefore(JumpOut, {Step::Branch, 0, {}, Third}),
            "spawn f:2, superstep 2, step 6 (branch 0): way 1 is next");
  EXPECT_EQ(withStepBefore(JumpOut, {Step::Branch, 1, {}, Fourth + 1}), "");
  EXPECT_EQ(broken([](Plan& plan) {
              plan.requires_.push_back("f.decide.1");
              plan.steps.push_back({Step::Decide, 1, {}});
            }),
            "spawn f:2: nothing stands behind decide");
}

TEST(PlanVerifyWays, DecisionsStandOnce) {
  EXPECT_EQ(withStep(Decide, {Step::Decide, 1, {}}), "spawn f:2, superstep 2, step 4 (decide 1): there are 1 requires");
  EXPECT_EQ(withStepBefore(Decide, {Step::Require, 0, {}}),
            "spawn f:2, superstep 2, step 5 (decide 0): it has been run");
  EXPECT_EQ(withStepBefore(JumpBack, {Step::Decide, 0, {}}),
            "spawn f:2, superstep 3, step 13 (decide 0): decide stands behind free");
}

TEST(PlanVerifyWays, DecisionsHaveAPlaceOfTheirOwn) {
  EXPECT_EQ(broken([](Plan& plan) { plan.decision_offset = 12; }), "");
  EXPECT_EQ(broken([](Plan& plan) { plan.decision_offset = 10; }), "spawn f:2: the slots n and decision overlap");
}

TEST(PlanVerifyWays, EdgesComeLast) {
  EXPECT_EQ(broken([](Plan& plan) { std::swap(plan.steps[Launch3], plan.steps[Move]); }),
            "spawn f:2, superstep 3, step 11 (launch 1): launch stands behind free");
  EXPECT_EQ(withStepBefore(Launch3, {Step::Swap, 0, {}, 1}),
            "spawn f:2, superstep 3, step 10 (launch 1): launch stands behind swap");
  EXPECT_EQ(withStepBefore(Launch4, {Step::Move, 0, {}, 0}),
            "spawn f:2, superstep 4, step 16 (launch 2): launch stands behind move");
  for (Step step : {Step{Step::Swap, 0, {}, 0}, Step{Step::FreeTemps, 1, {}}, Step{Step::Allocate, 1, {}}})
    EXPECT_EQ(withStepBefore(Free1, step), "") << step.kind;
  EXPECT_EQ(withStepBefore(Free1, {Step::Require, 0, {}}),
            "spawn f:2, superstep 3, step 12 (require 0): require stands behind move");
}

TEST(PlanVerifyWays, StreamsThatChangePlacesAreThere) {
  EXPECT_EQ(withStep(Move, {Step::Move, 0, {}, 0}), "spawn f:2, superstep 3, step 11 (move 0): stream 0 is not "
                                                    "allocated any more");
  EXPECT_EQ(withStep(Move, {Step::Move, 2, {}, 0}), "spawn f:2, superstep 3, step 11 (move 2): there are 2 streams");
  EXPECT_EQ(withStep(Move, {Step::Move, 0, {}, 2}), "spawn f:2, superstep 3, step 11 (move 0): there are 2 streams");
  EXPECT_EQ(withStep(Move, {Step::Swap, 0, {}, 0}), "spawn f:2, superstep 3, step 11 (swap 0): stream 0 is not "
                                                    "allocated any more");
}

TEST(PlanVerifyWays, AStreamMayChangePlacesWithNothing) {
  for (Step swap : {Step{Step::Swap, 0, {}, 1}, Step{Step::Swap, 1, {}, 0}})
    EXPECT_EQ(broken([&](Plan& plan) {
                plan.steps[Move] = swap;
                plan.steps[Free1] = {Step::Swap, 0, {}, 0};
              }),
              "");
  EXPECT_EQ(withStep(Move, {Step::Swap, 0, {}, 1}),
            "spawn f:2, superstep 3, step 12 (free 1): it is not allocated any more");
}

TEST(PlanVerifyWays, StreamsThatChangePlacesHaveOneSize) {
  EXPECT_EQ(broken([](Plan& plan) { plan.streams[1].bytes = 8; }),
            "spawn f:2, superstep 3, step 11 (move 0): streams 0 and 1 have 4 and 8 bytes/thread");
}

TEST(PlanVerifyWays, StreamsMayBeAllocatedAgain) {
  EXPECT_EQ(broken([](Plan& plan) {
              plan.steps[Move] = {Step::Allocate, 0, {}};
              insertBefore(plan, LastFree + 1, {Step::Allocate, 1, {}});
              insertBefore(plan, LastFree + 2, {Step::Free, 1, {}});
            }),
            "");
}

// In superstep 3 stream 0 has room for other ranks than those of a loop that reassigns them.
TEST(PlanVerifyWays, StreamsAreNotUsedByOtherRanks) {
  auto reassign = [](Plan& plan) {
    plan.supersteps[3].reassigned = true;
    plan.supersteps.push_back({7, 7, false});
    plan.kernels.push_back({"k5", {{Param::Stream, 0}}, 5, 0, 0});
    insertBefore(plan, LastFree, {Step::Superstep, 5, {}});
    insertBefore(plan, LastFree + 1, {Step::Launch, 3, {}});
  };
  EXPECT_EQ(broken(reassign),
            "spawn f:2, superstep 5, step 17 (launch 3): stream 0 is for the ranks of before a reassignment");
  EXPECT_EQ(broken([&](Plan& plan) {
              reassign(plan);
              plan.supersteps[3].reassigned = false;
            }),
            "");
}

// A loop whose rounds reassign ranks: what crosses its head is for the ranks there.
TEST(PlanVerifyWays, NumberingsMeet) {
  EXPECT_EQ(broken([](Plan& plan) { plan.supersteps[2].reassigned = true; }), "");
}

TEST(PlanVerifyWays, ThePlanSaysWhatComesNext) {
  EXPECT_EQ(broken([](Plan& plan) { plan.supersteps[1].next = {4, 3, 4}; }), "");
  EXPECT_EQ(broken([](Plan& plan) { plan.supersteps[1].next.clear(); }),
            "spawn f:2: behind superstep 2 comes superstep 3, or superstep 4, and not superstep 3");
  EXPECT_EQ(broken([](Plan& plan) { plan.supersteps[2].next = {4}; }),
            "spawn f:2: behind superstep 3 comes superstep 2, and not superstep 4");
  EXPECT_EQ(broken([](Plan& plan) { plan.supersteps[3].next = {0}; }), "");
  EXPECT_EQ(broken([](Plan& plan) { plan.supersteps[3].next = {5}; }),
            "spawn f:2: behind superstep 4 comes the end, and not superstep 5");
}

// Edges may lead to edges.
TEST(PlanVerifyWays, LooksThroughEdges) {
  EXPECT_EQ(broken([](Plan& plan) {
              insertBefore(plan, Third, {Step::Jump, 0, {}, Fourth + 1});
              plan.steps[JumpOut].other = Third;
              plan.steps[Branch].other = Third + 1;
            }),
            "");
}
