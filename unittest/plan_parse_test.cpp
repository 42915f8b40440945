// links: plan
#include "plan/parse.h"

#include <cctype>

#include <gtest/gtest.h>

#include "plan/words.h"

using namespace bsgp::plan;

namespace {

const char* kText =
    R"(spawn f:2 ("my files/f.bsgp":2:3), rank i64, block 128, width 4, thread.size at 8, symbol plan.f.0
host frame
  n#0    4 bytes at 0
  a      8 bytes at 16
  n#2    4 bytes at 24
  stream  1 bytes at 32
superstep 1 (f.bsgp:3:5), lines 3-4
  require   1 f.require.1  f.bsgp:3:6
  require   0 f.require.0
  allocate  stream 0  4 bytes/thread  f.bsgp:4:1
  clear     stream 0
  launch    spawn.f.0.1(n#2, n#0, append to a, a, stream, stream 0, thread.size)  0 bytes/thread loaded, 4 stored
superstep 2
superstep 3, line 9, ranks reassigned
  launch    spawn.f.0.3(old thread.size)
  free      stream 0
  free      temporaries of scope 2
)";

const char* kWays = R"(spawn f:2, rank i32, block 256, thread.size at 0, decision at 16, symbol plan.f.0
superstep 1
  allocate  stream 0              4 bytes/thread
  move      stream 0 to stream 1  4 bytes/thread  f.bsgp:4:1
L1:
superstep 2, line 4, then 3 or the end
  decide  0 f.decide.0  f.bsgp:4:3
  branch  0 to L2
  jump    to L3
L2:
superstep 3, line 5, ranks reassigned, then 2
  swap  streams 0 and 1  4 bytes/thread
  jump  to L1
L3:
)";

Plan parsed(const std::string& text) {
  auto plans = parse(text);
  EXPECT_TRUE(plans) << plans.message();
  EXPECT_EQ(plans ? plans->size() : 0, 1u);
  return plans && plans->size() == 1 ? plans->front() : Plan();
}

std::string failureOf(std::string text, const std::string& from, const std::string& to) {
  size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  auto plans = parse(text.replace(at, from.size(), to));
  EXPECT_FALSE(plans);
  return plans.message();
}
std::string failureOf(const std::string& from, const std::string& to) {
  return failureOf(kText, from, to);
}

} // namespace

TEST(PlanParse, ReadsAPlan) {
  Plan plan = parsed(kText);
  EXPECT_EQ(plan.name, "f:2");
  EXPECT_EQ(plan.symbol, "plan.f.0");
  EXPECT_EQ(plan.site, (Site{"my files/f.bsgp", 2, 3}));
  EXPECT_EQ(plan.rank_bits, 64u);
  EXPECT_EQ(plan.block, 128u);
  EXPECT_EQ(plan.width, 4u);
  EXPECT_EQ(plan.size_offset, 8u);
  EXPECT_EQ(plan.slots, (std::vector<FrameSlot>{{"n", 0, 4}, {"a", 16, 8}, {"n", 24, 4}, {"stream", 32, 1}}));
  EXPECT_EQ(plan.requires_, (std::vector<std::string>{"f.require.0", "f.require.1"}));
  EXPECT_EQ(plan.streams, (std::vector<Stream>{{4}}));
  EXPECT_EQ(plan.supersteps, (std::vector<Superstep>{{3, 4, false}, {0, 0, false}, {9, 9, true}}));
  std::vector<Param> params{{Param::Frame, 2}, {Param::Frame, 0},  {Param::Append, 1}, {Param::Frame, 1},
                            {Param::Frame, 3}, {Param::Stream, 0}, {Param::Size, 0}};
  EXPECT_EQ(plan.kernels,
            (std::vector<Kernel>{{"spawn.f.0.1", params, 1, 0, 4}, {"spawn.f.0.3", {{Param::OldSize, 0}}, 3, 0, 0}}));
  EXPECT_EQ(plan.steps, (std::vector<Step>{{Step::Superstep, 1, {"f.bsgp", 3, 5}},
                                           {Step::Require, 1, {"f.bsgp", 3, 6}},
                                           {Step::Require, 0, {}},
                                           {Step::Allocate, 0, {"f.bsgp", 4, 1}},
                                           {Step::Clear, 0, {}},
                                           {Step::Launch, 0, {}},
                                           {Step::Superstep, 2, {}},
                                           {Step::Superstep, 3, {}},
                                           {Step::Launch, 1, {}},
                                           {Step::Free, 0, {}},
                                           {Step::FreeTemps, 2, {}}}));
}

TEST(PlanParse, ReadsBranchesAndJumps) {
  Plan plan = parsed(kWays);
  EXPECT_EQ(plan.decision_offset, 16u);
  EXPECT_EQ(plan.requires_, (std::vector<std::string>{"f.decide.0"}));
  EXPECT_EQ(plan.streams, (std::vector<Stream>{{4}, {4}}));
  EXPECT_EQ(plan.supersteps, (std::vector<Superstep>{{0, 0, false}, {4, 4, false, {3, 0}}, {5, 5, true, {2}}}));
  EXPECT_EQ(plan.steps, (std::vector<Step>{{Step::Superstep, 1, {}},
                                           {Step::Allocate, 0, {}},
                                           {Step::Move, 1, {"f.bsgp", 4, 1}, 0},
                                           {Step::Superstep, 2, {}},
                                           {Step::Decide, 0, {"f.bsgp", 4, 3}},
                                           {Step::Branch, 0, {}, 7},
                                           {Step::Jump, 0, {}, 10},
                                           {Step::Superstep, 3, {}},
                                           {Step::Swap, 0, {}, 1},
                                           {Step::Jump, 0, {}, 3}}));
  EXPECT_EQ(text(plan), kWays);
  EXPECT_EQ(parsed(text(plan)), plan);
}

TEST(PlanParse, LabelsAreNames) {
  std::string other = kWays;
  for (size_t at = 0; (at = other.find("L", at)) != std::string::npos; ++at)
    other.replace(at, 2, other[at + 1] == '1' ? "L77" : other[at + 1] == '2' ? "L5" : "L0");
  EXPECT_EQ(parsed(other), parsed(kWays));
  EXPECT_EQ(parsed("spawn L1\nsuperstep 1\n  launch L1()\n").kernels[0].symbol, "L1");
}

TEST(PlanParse, RefusesLabelsThatAreNone) {
  EXPECT_EQ(failureOf(kWays, "L3:", "L4:"), "line 14, column 1: spawn f:2 has a step to L3, and no L3");
  EXPECT_EQ(failureOf(kWays, "L3:", "L3:\nL1:"), "line 15, column 1: L1 stands twice");
  EXPECT_EQ(failureOf(kWays, "L3:", "L3"), "line 14, column 3: ':' is missing before ''");
  EXPECT_EQ(failureOf(kWays, "L3:", "M3:"), "line 14, column 1: here stands 'spawn', 'host frame', 'superstep', a "
                                            "label, or, behind blanks, a part of one");
  EXPECT_EQ(failureOf(kWays, "to L2", "to 2"), "line 8, column 16: a label is missing before '2'");
  EXPECT_EQ(failureOf(kWays, "to L2", "L2"), "line 8, column 13: 'to' is missing before 'L2'");
  EXPECT_EQ(failureOf(kWays, "0 to L2", "to L2"), "line 8, column 11: a way's number is missing before 'to L2'");
}

TEST(PlanParse, RefusesWaysThatAreNone) {
  EXPECT_EQ(failureOf(kWays, "3 or the end", "0"), "line 6, column 27: supersteps are counted from 1");
  EXPECT_EQ(failureOf(kWays, "3 or the end", "3 or"), "line 6, column 31: a superstep's number is missing before ''");
  EXPECT_EQ(failureOf(kWays, "then 2", "then 2, then 2"), "line 11, column 48: 'then' stands twice");
  EXPECT_EQ(failureOf(kWays, "streams 0 and 1", "streams 0 1"),
            "line 12, column 19: 'and' is missing before '1  4 bytes/thread'");
  EXPECT_EQ(failureOf(kWays, "to stream 1  4", "to stream 0  8"),
            "line 4, column 37: stream 0 has 4 bytes/thread above");
  EXPECT_EQ(failureOf(kWays, "decision at 16", "decision at 16, decision at 8"),
            "line 1, column 67: 'decision' stands twice");
}

TEST(PlanParse, ReadsWhatTextWrites) {
  Plan plan = parsed(kText);
  EXPECT_EQ(parsed(text(plan)), plan);
  EXPECT_EQ(text(parsed(text(plan))), text(plan));
}

TEST(PlanParse, ReadsNamesThatAreNoWords) {
  Plan plan;
  plan.name = "a, (b)";
  plan.site = {"C:\\a \"b\"#\n", 1, 2};
  plan.slots = {{"", 8, 4}, {"x y", 12, 4}};
  EXPECT_EQ(parsed(text(plan)), plan);
}

TEST(PlanParse, ReadsPlacesOfTheLibrary) {
  Plan plan = parsed("spawn f (library \"<scan.bsgp>\":3:5)\nsuperstep 1 (library:3:5)\n");
  ASSERT_EQ(plan.steps.size(), 1u);
  EXPECT_EQ(plan.site, (Site{"<scan.bsgp>", 3, 5, true}));
  EXPECT_EQ(plan.steps[0].site, (Site{"library", 3, 5, false}));
  EXPECT_EQ(parsed(text(plan)), plan);
}

TEST(PlanParse, ReadsSeveralPlans) {
  Plan one, two = parsed(kText);
  one.name = "one", two.name = "two";
  auto plans = parse(text(two) + "\n" + text(one) + text(two));
  ASSERT_TRUE(plans) << plans.message();
  EXPECT_EQ(*plans, (std::vector<Plan>{two, one, two}));
  auto none = parse("\n\n");
  ASSERT_TRUE(none);
  EXPECT_TRUE(none->empty());
}

TEST(PlanParse, NamesTheLineThatCannotBeRead) {
  EXPECT_EQ(failureOf("spawn", "spwan"), "line 1, column 1: a plan begins with 'spawn'");
  EXPECT_EQ(failureOf("width", "weight"), "line 1, column 57: here stands 'rank i32', 'rank i64', 'block N', 'width "
                                          "N', 'thread.size at N', 'decision at N' or 'symbol NAME'");
  EXPECT_EQ(failureOf("block 128", "block many"),
            "line 1, column 52: a number of threads is missing before 'many, width 4, "
            "thread.size at 8, symbol plan.f.0'");
  EXPECT_EQ(failureOf("block 128", "block 99999999999").substr(0, 75),
            "line 1, column 52: a number of threads is at most 4294967295, and not '9999");
  EXPECT_EQ(failureOf("files/f.bsgp\"", "files/f.bsgp"),
            "line 1, column 12: a '\"' is missing after '\"my files/f.bsgp:2:3), rank i64, block 128, width 4, "
            "thread....'");
  EXPECT_EQ(failureOf("host", "hots"),
            "line 2, column 1: here stands 'spawn', 'host frame', 'superstep', a label, or, behind blanks, a "
            "part of one");
  EXPECT_EQ(failureOf("n#2", "n#3"), "line 5, column 5: this is slot 2");
  EXPECT_EQ(failureOf("(f.bsgp:3:5)", "(f.bsgp)"),
            "line 7, column 14: a place, file:line:column, is missing before 'f.bsgp), lines 3-4'");
  EXPECT_EQ(failureOf("lines 3-4", "rows 3-4"),
            "line 7, column 27: here stands 'line N', 'lines N-N', 'ranks reassigned' or 'then N'");
  EXPECT_EQ(failureOf("superstep 2", "superstep 3"), "line 13, column 11: superstep 2 is next");
  EXPECT_EQ(failureOf("clear", "clean"),
            "line 11, column 3: here stands 'require', 'allocate', 'clear', 'launch', 'free', 'decide', 'branch', "
            "'jump', 'move', 'swap' or 'blocks'");
  EXPECT_EQ(failureOf("clear     stream", "clear  steam"), "line 11, column 10: 'stream' is missing before 'steam 0'");
  EXPECT_EQ(failureOf("scope 2", "scope 2 now"),
            "line 17, column 36: a place, file:line:column, is missing before 'now'");
  EXPECT_EQ(failureOf("a, stream,", "b, stream,"), "line 12, column 48: the host frame has no b");
  EXPECT_EQ(failureOf("(n#2,", "(n#1,"), "line 12, column 27: the host frame has no n#1");
  EXPECT_EQ(failureOf("(n#2,", "(n,"),
            "line 12, column 25: several slots are called n: which is meant is said as in n#0");
  EXPECT_EQ(failureOf("thread.size)", "thread.size"),
            "line 12, column 82: ')' is missing before '0 bytes/thread loaded, 4 stored'");
}

TEST(PlanParse, RefusesPartsWithoutTheWhole) {
  EXPECT_EQ(parse("  a  8 bytes at 8\n").message(), "line 1, column 3: a plan begins with 'spawn'");
  EXPECT_EQ(parse("spawn f\n  a  8 bytes at 8\n").message(),
            "line 2, column 3: neither 'host frame' nor 'superstep' stands before");
}

TEST(PlanParse, RefusesNumbersThatDoNotFit) {
  EXPECT_EQ(failureOf("1 f.require.1", "0 f.require.1"), "line 9, column 15: require 0 is f.require.1 above");
  EXPECT_EQ(failureOf("1 f.require.1", "2 f.require.1"),
            "line 17, column 1: spawn f:2 has a require 2, and no require 1");
  EXPECT_EQ(failureOf("allocate  stream 0", "allocate stream 1"),
            "line 17, column 1: spawn f:2 has a stream 1, and no stream 0");
  EXPECT_EQ(failureOf("clear     stream 0", "allocate  stream 0  8 bytes/thread"),
            "line 11, column 25: stream 0 has 4 bytes/thread above");
}

TEST(PlanParse, RefusesWhatStandsTwice) {
  EXPECT_EQ(failureOf("block 128", "block 128, block 64"), "line 1, column 57: 'block' stands twice");
  EXPECT_EQ(failureOf("rank i64", "rank i64, rank i32"), "line 1, column 46: 'rank' stands twice");
  EXPECT_EQ(failureOf("line 9", "line 9, line 10"), "line 14, column 22: 'line' stands twice");
  EXPECT_EQ(failureOf("superstep 1", "host frame\nsuperstep 1"),
            "line 7, column 1: the host frame stands once, behind 'spawn'");
  EXPECT_EQ(failureOf("superstep 2", "host frame\nsuperstep 2"),
            "line 13, column 1: the host frame stands once, behind 'spawn'");
}

TEST(PlanParse, RefusesLinesThatAreNone) {
  EXPECT_EQ(failureOf("(f.bsgp:3:5)", "(f.bsgp:0:5)"), "line 7, column 14: lines are counted from 1");
  EXPECT_EQ(failureOf("lines 3-4", "lines 4-3"),
            "line 7, column 35: lines are counted from 1, and the last one is none before the first");
  EXPECT_EQ(failureOf("line 9", "line 0"),
            "line 14, column 19: lines are counted from 1, and the last one is none before the first");
}

TEST(PlanParse, BlanksDoNotMatter) {
  std::string text = kText;
  for (size_t at = 0; (at = text.find(' ', at)) != std::string::npos; at += 2)
    if (text.substr(at - 2, 8) != "my files")
      text.insert(at, 1, ' ');
  EXPECT_EQ(parsed(text), parsed(kText));
}

TEST(PlanParse, MessagesShowTheBeginningOfALongLine) {
  EXPECT_EQ(parse("spawn f" + std::string(100000, '"')).message(),
            "line 1, column 8: what is '" + std::string(60, '"') + "...'?");
  EXPECT_EQ(parse("spawn f\r\n").message(), "line 1, column 8: what is '?'?");
}

// The parser ends, and what it takes comes back from its text, whatever a token becomes.
TEST(PlanParse, ReadsOrRefusesMutatedTexts) {
  std::string text = std::string(kText) + kWays;
  const char* others[] = {"", "0", "4294967295", "9223372036854775808", "\"", "(", ",", "#", "stream", "\n", "\xff"};
  size_t refused = 0;
  auto isWord = [](char c) { return c == '.' || c == '_' || std::isalnum(static_cast<unsigned char>(c)); };
  for (size_t begin = 0, end = 0; begin < text.size(); begin = end) {
    for (end = begin + 1; isWord(text[begin]) && end < text.size() && isWord(text[end]);)
      ++end;
    std::string token = text.substr(begin, end - begin);
    std::vector<std::string> replacements(std::begin(others), std::end(others));
    replacements.push_back(token + " " + token);
    for (const std::string& other : replacements) {
      auto plans = parse(text.substr(0, begin) + other + text.substr(end));
      refused += !plans;
      if (!plans) {
        EXPECT_TRUE(plans.message().starts_with("line ")) << plans.message();
        continue;
      }
      std::string again;
      for (const Plan& plan : *plans)
        again += bsgp::plan::text(plan);
      auto back = parse(again);
      ASSERT_TRUE(back) << back.message() << " of\n" << again;
      EXPECT_EQ(*back, *plans) << again;
    }
  }
  EXPECT_GT(refused, 1000u);
}
