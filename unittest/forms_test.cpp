// links: runtime
#include "runtime/cpu/forms.h"
#include "runtime/cpu/small_launches.h"

#include <atomic>
#include <thread>

#include <gtest/gtest.h>

namespace bsgp::runtime {
namespace {

bsgp_launch launchOf(int64_t blocks, int64_t block = BSGP_BLOCK) {
  return {blocks * block, block, nullptr, nullptr, 0, BSGP_FORM_LANES, nullptr};
}

constexpr uint32_t kBoth = 1u << BSGP_FORM_LANES | 1u << BSGP_FORM_ALONE;
constexpr uint32_t kAll = kBoth | 1u << BSGP_FORM_WAVEFRONT;

// Runs launches as the device does, but times are given: ns of a block in each form.
struct Machine {
  bsgp_forms forms{};
  double lanes = 10'000, alone = 10'000, wavefront = 10'000;
  double ns = 0; // all that was spent

  FormsRun launch(int64_t blocks, int64_t block = BSGP_BLOCK, int64_t range = 100) {
    bsgp_launch of = launchOf(blocks, block);
    if (isSmall(of)) {
      SmallTurn turn = nextOfSmall(forms);
      double took = double(blocks) * cost(turn.form);
      ns += took;
      return reportSmall(forms, of, turn, took);
    }
    uint32_t form;
    if (isSettled(forms, of, form)) {
      ns += double(blocks) * cost(form);
      FormsRun ran;
      ran.blocks[form] = blocks;
      return ran;
    }
    FormTrial trial(forms, of);
    for (int64_t first = 0; first < blocks; first += range)
      runRange(trial, first, std::min(first + range, blocks));
    return trial.keep();
  }

private:
  double cost(uint32_t form) const {
    return form == BSGP_FORM_ALONE ? alone : form == BSGP_FORM_WAVEFRONT ? wavefront : lanes;
  }

  void runRange(FormTrial& trial, int64_t first, int64_t end) {
    while (first != end) {
      FormTrial::Turn turn = trial.next(first, end);
      ASSERT_GT(turn.end, first);
      ASSERT_LE(turn.end, end);
      double took = double(turn.end - first) * cost(turn.form);
      ns += took;
      if (turn.timed)
        trial.report(first, turn, took);
      first = turn.end;
    }
  }
};

TEST(Forms, TheFasterOneRunsAllButAFewBlocks) {
  Machine slow_lanes{.lanes = 40'000};
  FormsRun ran = slow_lanes.launch(4000);
  EXPECT_EQ(ran.allBlocks(), 4000);
  EXPECT_GE(ran.blocks[BSGP_FORM_ALONE], 3980);
  Machine fast_lanes{.alone = 80'000};
  EXPECT_LE(fast_lanes.launch(4000).blocks[BSGP_FORM_ALONE], 10);
}

TEST(Forms, AChoiceCostsFewPercentOfOneLaunch) {
  for (double ratio : {0.1, 0.25, 0.8, 1.0, 1.25, 4.0, 10.0}) {
    Machine machine{.lanes = 10'000 * ratio};
    machine.launch(1000);
    double best = 1000 * std::min(machine.lanes, machine.alone);
    EXPECT_LT(machine.ns, best * 1.05) << ratio;
  }
}

TEST(Forms, WhatIsSettledIsKeptForLaunchesOfThatSize) {
  Machine machine{.lanes = 40'000};
  machine.launch(4000);
  EXPECT_GE(machine.launch(3000).blocks[BSGP_FORM_ALONE], 2990);
  // Of half the size nothing is known; it begins with what is known of this one.
  EXPECT_GE(machine.launch(2000).blocks[BSGP_FORM_ALONE], 1985);
}

TEST(Forms, SmallLaunchesSettleItTogether) {
  Machine machine{.lanes = 40'000};
  for (int i = 0; i < 8; ++i)
    machine.launch(10, BSGP_BLOCK, 10);
  EXPECT_EQ(machine.launch(10, BSGP_BLOCK, 10).blocks[BSGP_FORM_ALONE], 10);
}

TEST(Forms, SmallLaunchesAreComparedWithEachOther) {
  EXPECT_TRUE(isSmall(launchOf(7)));
  EXPECT_TRUE(isSmall(launchOf(100, 16))) << "few threads in many blocks";
  EXPECT_FALSE(isSmall(launchOf(8)));
  Machine machine{.lanes = 40'000};
  for (int i = 0; i < 12; ++i)
    machine.launch(1 + i % 7);
  machine.ns = 0;
  int64_t alone = 0;
  for (int i = 0; i < 5000; ++i)
    alone += machine.launch(3).blocks[BSGP_FORM_ALONE];
  EXPECT_GE(alone, 3 * 4980);
  EXPECT_LT(machine.ns, 5000 * 3 * machine.alone * 1.02);
}

TEST(Forms, SmallLaunchesFollowTheData) {
  Machine machine{.lanes = 40'000};
  for (int i = 0; i < 100; ++i)
    machine.launch(3);
  machine.lanes = 2'000;
  for (int i = 0; i < 2000; ++i)
    machine.launch(3);
  EXPECT_EQ(machine.launch(3).blocks[BSGP_FORM_ALONE], 0);
}

TEST(Forms, LaunchesTooShortForTheClockAreLeftAlone) {
  Machine machine{.lanes = 200, .alone = 10};
  for (int i = 0; i < 1000; ++i) {
    FormsRun ran = machine.launch(1);
    EXPECT_EQ(ran.lanes_alone.count, 0);
    EXPECT_EQ(ran.blocks[BSGP_FORM_ALONE], 0);
  }
}

TEST(Forms, SmallLaunchesAreComparedAmongShorterOnes) {
  Machine machine{.lanes = 40'000};
  for (int i = 0; i < 400; ++i) {
    machine.launch(3);
    Machine shorter{machine.forms, 200, 10};
    shorter.launch(1);
    machine.forms = shorter.forms;
  }
  EXPECT_EQ(machine.launch(3).blocks[BSGP_FORM_ALONE], 3);
}

TEST(Forms, WhatIsKnownOfTheNearestSizeIsWhereOthersBegin) {
  for (int64_t known : {16, 1000, 20'000}) {
    Machine machine{.lanes = 40'000};
    for (int i = 0; i < 8; ++i)
      machine.launch(known);
    EXPECT_GE(machine.launch(3).blocks[BSGP_FORM_ALONE], 3) << known;
    EXPECT_GE(machine.launch(100).blocks[BSGP_FORM_ALONE], 80) << known;
  }
}

TEST(Forms, AChoiceFollowsTheData) {
  Machine machine{.lanes = 40'000};
  machine.launch(4000);
  machine.lanes = 5'000;
  machine.launch(4000);
  EXPECT_LE(machine.launch(4000).blocks[BSGP_FORM_ALONE], 20);
  machine.lanes = 40'000;
  FormsRun ran = machine.launch(4000);
  EXPECT_GE(ran.blocks[BSGP_FORM_ALONE], 2000) << "within one launch";
}

TEST(Forms, SettledChoicesAreLookedAtSeldom) {
  Machine machine{.lanes = 80'000};
  machine.launch(1000);
  machine.ns = 0;
  int64_t pairs = 0;
  for (int i = 0; i < 100; ++i)
    pairs += machine.launch(1000).lanes_alone.count;
  EXPECT_GE(pairs, 50);
  EXPECT_LE(pairs, 100);
  EXPECT_LT(machine.ns, 100 * 1000 * machine.alone * 1.01);
}

TEST(Forms, ShortBlocksAreTimedTogether) {
  Machine machine{.lanes = 400, .alone = 100};
  FormsRun ran = machine.launch(4000);
  EXPECT_GE(ran.blocks[BSGP_FORM_ALONE], 3000);
  Machine small_blocks{.lanes = 400, .alone = 100};
  EXPECT_GE(small_blocks.launch(100'000, 16, 2000).blocks[BSGP_FORM_ALONE], 90'000);
}

// Longer blocks come in shorter ranges: what was timed together no longer fits into one.
TEST(Forms, AChoiceFollowsTheDataIntoShortRanges) {
  Machine machine{.lanes = 500, .alone = 1000};
  for (int i = 0; i < 100; ++i)
    machine.launch(32, BSGP_BLOCK, 4);
  machine.lanes = 40'000, machine.alone = 10'000;
  for (int i = 0; i < 400; ++i)
    machine.launch(32, BSGP_BLOCK, 1);
  EXPECT_EQ(machine.launch(32, BSGP_BLOCK, 1).blocks[BSGP_FORM_ALONE], 32);
}

// A block alone has become too short for the clock.
TEST(Forms, AChoiceFollowsTheDataIntoShortBlocks) {
  Machine machine{.lanes = 3'000, .alone = 6'000};
  machine.launch(8000, BSGP_BLOCK, 256);
  machine.lanes = 140, machine.alone = 80;
  machine.launch(8000, BSGP_BLOCK, 256);
  EXPECT_GE(machine.launch(8000, BSGP_BLOCK, 256).blocks[BSGP_FORM_ALONE], 7'900);
}

// As of a graph whose first rounds have all the work: then another form is better, and blocks are short.
TEST(Forms, AChoiceFollowsTheRoundsOfAnAlgorithm) {
  for (auto [blocks, range] : {std::pair<int64_t, int64_t>{100, 25}, {400, 25}, {4000, 25}, {4000, 4000}}) {
    Machine machine;
    double best = 0;
    for (int run = 0; run < 10; ++run) {
      best = run == 1 ? 0 : best; // after the first run
      machine.ns = run == 1 ? 0 : machine.ns;
      for (int round = 0; round < 14; ++round) {
        machine.alone = round < 3 ? 8'000 : 400;
        machine.lanes = round < 3 ? 24'000 : 200;
        machine.launch(blocks, BSGP_BLOCK, range);
        best += double(blocks) * std::min(machine.alone, machine.lanes);
      }
    }
    EXPECT_LT(machine.ns, best * 1.3) << blocks;
    if (blocks >= 400) {
      EXPECT_LT(machine.ns, best * 1.1) << blocks;
    }
  }
}

// However short ago the last pair was: it was of short blocks.
TEST(Forms, LongBlocksAreNewsSoonAfterAPairOfShortOnes) {
  for (int short_launches = 1; short_launches < 40; ++short_launches) {
    Machine machine{.lanes = 60, .alone = 100};
    for (int launch = 0; launch < short_launches; ++launch)
      machine.launch(4000);
    machine.lanes = 24'000, machine.alone = 8'000;
    EXPECT_GE(machine.launch(4000).blocks[BSGP_FORM_ALONE], 3'200) << short_launches;
  }
}

// As of a graph with hubs: blocks differ much in what they take, and lanes wait for the longest in each.
TEST(Forms, UnequalBlocksAreNoNews) {
  Machine machine;
  double best = 0;
  for (int launch = 0; launch < 300; ++launch) {
    if (launch == 100)
      machine.ns = best = 0;
    for (int part = 0; part < 4; ++part) {
      machine.alone = part % 2 ? 2'000 : 20'000;
      machine.lanes = 10 * machine.alone;
      machine.launch(32, BSGP_BLOCK, 4);
      best += 32 * machine.alone;
    }
  }
  EXPECT_LT(machine.ns, best * 1.06);
}

TEST(Forms, OneLongTurnDecidesNothing) {
  FormRecord record;
  record.compare(leadOf(1e9, 1e3), 1e3, kBoth); // a thread that was interrupted
  EXPECT_FALSE(record.settled);
  for (int i = 0; i < 9; ++i)
    record.compare(leadOf(1000, 1500), 1000, kBoth);
  EXPECT_EQ(record.better(), uint32_t(BSGP_FORM_LANES));
}

// ---- three forms

Machine withWavefront(double lanes, double alone, double wavefront) {
  Machine machine{.lanes = lanes, .alone = alone, .wavefront = wavefront};
  machine.forms.made = kAll;
  return machine;
}

TEST(Forms, TheFastestOfThreeRunsAllButAFewBlocks) {
  for (auto [lanes, alone, wavefront, best] : {std::tuple{1e4, 2e4, 4e4, BSGP_FORM_LANES},
                                               {2e4, 1e4, 4e4, BSGP_FORM_ALONE},
                                               {2e4, 4e4, 1e4, BSGP_FORM_WAVEFRONT},
                                               {4e4, 2e4, 1e4, BSGP_FORM_WAVEFRONT},
                                               {4e4, 1e4, 2e4, BSGP_FORM_ALONE}}) {
    Machine machine = withWavefront(lanes, alone, wavefront);
    EXPECT_GE(machine.launch(8000, BSGP_BLOCK, 400).blocks[best], 7'000) << best;
    EXPECT_GE(machine.launch(8000, BSGP_BLOCK, 400).blocks[best], 7'900) << best;
  }
}

TEST(Forms, AFormThatIsNotMadeNeverRuns) {
  Machine machine{.lanes = 20'000, .wavefront = 10};
  EXPECT_EQ(machine.launch(8000).blocks[BSGP_FORM_WAVEFRONT], 0);
  machine.forms = {};
  machine.forms.made = 1u << BSGP_FORM_LANES | 1u << BSGP_FORM_WAVEFRONT;
  machine.alone = 10, machine.wavefront = 10'000;
  EXPECT_EQ(machine.launch(8000).blocks[BSGP_FORM_ALONE], 0);
  EXPECT_EQ(machine.launch(3).blocks[BSGP_FORM_ALONE], 0);
}

TEST(Forms, AThirdFormThatGetsFasterIsFound) {
  Machine machine = withWavefront(20'000, 40'000, 80'000);
  machine.launch(8000);
  machine.wavefront = 5'000;
  for (int i = 0; i < 12; ++i)
    machine.launch(8000);
  EXPECT_GE(machine.launch(8000).blocks[BSGP_FORM_WAVEFRONT], 7'900);
}

TEST(Forms, SmallLaunchesFindTheFastestOfThree) {
  Machine machine = withWavefront(40'000, 20'000, 10'000);
  for (int i = 0; i < 40; ++i)
    machine.launch(3);
  EXPECT_EQ(machine.launch(3).blocks[BSGP_FORM_WAVEFRONT], 3);
}

TEST(Forms, ManyThreadsMayAskAtOnce) {
  bsgp_forms forms{};
  for (int round = 0; round < 3; ++round) {
    std::vector<std::thread> callers;
    for (int c = 0; c < 2; ++c)
      callers.emplace_back([&] {
        bsgp_launch launch = launchOf(4000);
        uint32_t form;
        isSettled(forms, launch, form);
        FormTrial trial(forms, launch);
        std::atomic<int64_t> cursor{0}, ran{0};
        auto work = [&] {
          for (int64_t first; (first = cursor.fetch_add(10)) < 4000;)
            for (int64_t at = first; at != first + 10;) {
              FormTrial::Turn turn = trial.next(at, first + 10);
              trial.report(at, turn, double(turn.end - at) * (turn.form == BSGP_FORM_LANES ? 9e4 : 3e4));
              ran += turn.end - at;
              at = turn.end;
            }
        };
        std::thread other(work);
        work();
        other.join();
        EXPECT_EQ(ran, 4000);
        trial.keep();
      });
    for (std::thread& caller : callers)
      caller.join();
  }
  uint32_t form = BSGP_FORM_LANES;
  isSettled(forms, launchOf(4000), form);
  EXPECT_EQ(form, uint32_t(BSGP_FORM_ALONE));
}

} // namespace
} // namespace bsgp::runtime
