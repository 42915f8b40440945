// links: plan
#include "plan/report.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

using namespace bsgp::plan;

namespace {

// The paper's listing 5 and its table 2, with one require.
Plan listing5() {
  Plan plan;
  plan.name = "test:2";
  plan.symbol = "plan.0";
  plan.site = {"test.bsgp", 2, 3};
  plan.slots = {{"a", 8, 8}, {"n@2", 16, 4}};
  plan.requires_ = {"test.require.0"};
  for (uint32_t k = 1; k <= 4; ++k) {
    Kernel kernel{.symbol = "spawn.0." + std::to_string(k), .params = {}, .superstep = k};
    if (k == 1 || k == 4)
      kernel.params.push_back({Param::Frame, 0});
    kernel.params.push_back({Param::Stream, 0});
    kernel.params.push_back({Param::Size, 0});
    plan.kernels.push_back(kernel);
    plan.supersteps.push_back({3 * k, 3 * k + 1, k == 3});
  }
  plan.kernels[1].loaded = 4, plan.kernels[1].stored = 4;
  plan.streams = {{4}, {4}};
  plan.steps = {{Step::Superstep, 1, {}}, {Step::Require, 0, {"test.bsgp", 3, 5}},
                {Step::Allocate, 0, {}},  {Step::Clear, 0, {}},
                {Step::Launch, 0, {}},    {Step::Superstep, 2, {"test.bsgp", 6, 1}},
                {Step::Launch, 1, {}},    {Step::Free, 0, {}},
                {Step::FreeTemps, 2, {}}};
  return plan;
}

Report reportOfListing5() {
  Report report;
  report.values = {{"v0", 3, 4, 4, 0, 0}, {"v1", 3, 8, 4, 0, 1}, {"v2", 5, 6, 4, 0, 0}, {"v3", 7, 8, 4, 0, 0}};
  report.crossing = {{"v0", 1, {2}, true, "stream 0", 4},
                     {"v1", 1, {3, 4}, true, "stream 1", 4},
                     {"v2", 2, {3}, true, "stream 0", 4},
                     {"rk", 1, {1, 2}, false, "recomputed from rank", 4}};
  report.remarks = {"the array w lives across a barrier: 64 bytes/thread"};
  return report;
}

} // namespace

TEST(PlanText, ListsTheSteps) {
  EXPECT_EQ(text(listing5()), R"(spawn test:2 (test.bsgp:2:3), rank i32, block 256, thread.size at 0, symbol plan.0
host frame
  a    8 bytes at 8
  n@2  4 bytes at 16
superstep 1, lines 3-4
  require   0 test.require.0  test.bsgp:3:5
  allocate  stream 0          4 bytes/thread
  clear     stream 0
  launch    spawn.0.1(a, stream 0, thread.size)
superstep 2 (test.bsgp:6:1), lines 6-7
  launch  spawn.0.2(stream 0, thread.size)  4 bytes/thread loaded, 4 stored
  free    stream 0
  free    temporaries of scope 2
)");
}

TEST(PlanText, ShowsSuperstepsAndCrossingValues) {
  EXPECT_EQ(superstepsText(listing5(), reportOfListing5()), R"(spawn test:2 (test.bsgp:2:3)
  superstep 1  lines 3-4  kernel spawn.0.1
    parameters  a, stream 0, thread.size
  superstep 2  lines 6-7  kernel spawn.0.2
    parameters  stream 0, thread.size
    streams     4 bytes/thread loaded, 4 stored
  superstep 3  lines 9-10  kernel spawn.0.3  ranks reassigned
    parameters  stream 0, thread.size
  superstep 4  lines 12-13  kernel spawn.0.4
    parameters  a, stream 0, thread.size
  values that cross a barrier
    value  defined  used  crosses  stored
    v0     1        2     yes      yes (stream 0, 4 bytes/thread)
    v1     1        3, 4  yes      yes (stream 1, 4 bytes/thread)
    v2     2        3     yes      yes (stream 0, 4 bytes/thread)
    rk     1        1, 2  yes      no (recomputed from rank)
  remark: the array w lives across a barrier: 64 bytes/thread
)");
}

TEST(PlanText, WritesSuperstepsAsJson) {
  auto json = nlohmann::json::parse(superstepsJson(listing5(), reportOfListing5()));
  EXPECT_EQ(json["spawn"], "test:2");
  EXPECT_EQ(json["supersteps"].size(), 4u);
  EXPECT_EQ(json["supersteps"][0]["parameters"][0]["name"], "a");
  EXPECT_EQ(json["supersteps"][2]["ranks_reassigned"], true);
  EXPECT_EQ(json["values"][1]["used"], (std::vector<int>{3, 4}));
  EXPECT_EQ(json["values"][3]["stored"], false);
}

namespace {

// Superstep 2 comes again until superstep 3 or the end does.
Plan loop() {
  Plan plan = listing5();
  plan.supersteps.resize(3);
  plan.supersteps[1].next = {2, 3, 0};
  plan.kernels.resize(3);
  plan.decision_offset = 40;
  plan.requires_.push_back("test.decide.0");
  plan.steps = {{Step::Superstep, 1, {}}, {Step::Allocate, 0, {}},  {Step::Launch, 0, {}},
                {Step::Superstep, 2, {}}, {Step::Launch, 1, {}},    {Step::Decide, 1, {"test.bsgp", 7, 5}},
                {Step::Branch, 0, {}, 3}, {Step::Branch, 1, {}, 9}, {Step::Jump, 0, {}, 12},
                {Step::Move, 1, {}, 0},   {Step::Swap, 0, {}, 1},   {Step::Superstep, 3, {}}};
  return plan;
}

} // namespace

TEST(PlanText, ListsBranchesWithLabels) {
  EXPECT_EQ(text(loop()),
            R"(spawn test:2 (test.bsgp:2:3), rank i32, block 256, thread.size at 0, decision at 40, symbol plan.0
host frame
  a    8 bytes at 8
  n@2  4 bytes at 16
superstep 1, lines 3-4
  allocate  stream 0  4 bytes/thread
  launch    spawn.0.1(a, stream 0, thread.size)
L1:
superstep 2, lines 6-7, then 2 or 3 or the end
  launch  spawn.0.2(stream 0, thread.size)  4 bytes/thread loaded, 4 stored
  decide  1 test.decide.0  test.bsgp:7:5
  branch  0 to L1
  branch  1 to L2
  jump    to L3
L2:
  move  stream 0 to stream 1  4 bytes/thread
  swap  streams 0 and 1       4 bytes/thread
superstep 3, lines 9-10, ranks reassigned
L3:
)");
}

TEST(PlanText, ShowsWhichSuperstepsComeNext) {
  EXPECT_NE(superstepsText(loop(), {})
                .find("  superstep 2  lines 6-7  kernel spawn.0.2\n"
                      "    then superstep 2, or superstep 3, or the end\n"
                      "    parameters  stream 0, thread.size\n"),
            std::string::npos)
      << superstepsText(loop(), {});
  auto json = nlohmann::json::parse(superstepsJson(loop(), {}));
  EXPECT_EQ(json["supersteps"][0]["next"], (std::vector<int>{2}));
  EXPECT_EQ(json["supersteps"][1]["next"], (std::vector<int>{2, 3, 0}));
  EXPECT_EQ(json["supersteps"][2]["next"], (std::vector<int>{0}));
  std::string dot = streamsDot(loop(), {});
  for (const char* edge : {"begin2 -> end2", "end2 -> begin2", "end2 -> begin3", "end1 -> begin2"})
    EXPECT_NE(dot.find(std::string("  ") + edge + " [color=gray];\n"), std::string::npos) << edge;
  EXPECT_EQ(dot.find("begin0"), std::string::npos);
}

// Only moves give stream 2 memory.
TEST(PlanText, ListsStreamsWithoutValues) {
  Plan plan = listing5();
  plan.streams.push_back({8});
  EXPECT_NE(streamsText(plan, reportOfListing5()).find("    stream 2  8 bytes/thread\n"), std::string::npos);
}

TEST(PlanText, ShowsTheFlowGraphAndItsAssignment) {
  EXPECT_EQ(streamsText(listing5(), reportOfListing5()), R"(spawn test:2 (test.bsgp:2:3)
  flow graph: source begin 1, sink end 4
    value  from   to       bytes  generation  stream
    v0     end 1  begin 2  4      0           0
    v1     end 1  begin 4  4      0           1
    v2     end 2  begin 3  4      0           0
    v3     end 3  begin 4  4      0           0
  assignment: 2 streams for 4 values, 8 bytes/thread (unshared 16)
    stream 0  4 bytes/thread  generation 0  v0 -> v2 -> v3
    stream 1  4 bytes/thread  generation 0  v1
)");
}

TEST(PlanText, WritesTheFlowGraphAsGraphviz) {
  std::string dot = streamsDot(listing5(), reportOfListing5());
  EXPECT_EQ(dot.find("digraph \"test:2\" {"), 0u);
  EXPECT_NE(dot.find("  end1 -> begin2 [color=gray];\n"), std::string::npos);
  EXPECT_NE(dot.find("  end1 -> begin4 [label=\"v1 (stream 1)\", color=\"#1f77b4\", penwidth=2];\n"),
            std::string::npos);
  EXPECT_EQ(dot.find("begin5"), std::string::npos);
}

TEST(PlanText, SaysWhenNothingCrosses) {
  Plan plan;
  plan.name = "f:1";
  plan.site = {"f.bsgp", 1, 1};
  plan.supersteps = {{1, 1, false}};
  EXPECT_EQ(superstepsText(plan, {}),
            "spawn f:1 (f.bsgp:1:1)\n  superstep 1  line 1  nothing to run\n  no value crosses a barrier\n");
  EXPECT_EQ(streamsText(plan, {}), "spawn f:1 (f.bsgp:1:1)\n  no value is stored across a barrier\n");
}
