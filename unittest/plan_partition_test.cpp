// links: plan
#include "plan/parse.h"
#include "plan/verify.h"

#include <gtest/gtest.h>

using namespace bsgp::plan;

namespace {

Kernel kernel(const char* symbol, std::vector<Param> params) {
  return {.symbol = symbol, .params = std::move(params)};
}

// A loop in one superstep: blocks 0, 1 (again and again) and 2.
Plan partitioned() {
  Plan plan;
  plan.name = "f:2", plan.symbol = "plan.0";
  plan.supersteps = {{2, 5, false}};
  plan.streams = {{1}, {4}, {4}, {8}};
  plan.kernels = {kernel("k", {{Param::Stream, 0}, {Param::Stream, 3}}),
                  kernel("k.block1", {{Param::Stream, 0}, {Param::Stream, 2}, {Param::Stream, 3}}),
                  kernel("k.block2", {{Param::Stream, 0}, {Param::Stream, 2}}),
                  kernel("k.count", {{Param::Stream, 0}, {Param::Stream, 1}, {Param::Size, 0}, {Param::Block, 0}}),
                  kernel("k.list", {{Param::Stream, 0}, {Param::Stream, 1}, {Param::Stream, 2}, {Param::Block, 0}})};
  plan.kernels[1].loaded = 12, plan.kernels[1].stored = 9;
  plan.partitions = {{{{0, {1}}, {1, {1, 2}}, {2, {}}}, 8, 3, 4, 0, 1, 2}};
  plan.steps = {{Step::Superstep, 1, {}}, {Step::Allocate, 0, {}}, {Step::Allocate, 1, {}}, {Step::Allocate, 2, {}},
                {Step::Allocate, 3, {}},  {Step::Launch, 0, {}},   {Step::Blocks, 0, {}},   {Step::Free, 0, {}},
                {Step::Free, 1, {}},      {Step::Free, 2, {}},     {Step::Free, 3, {}}};
  return plan;
}

constexpr const char* kText = R"(spawn f:2, rank i32, block 256, thread.size at 0, symbol plan.0
superstep 1, lines 2-5
  allocate  stream 0  1 bytes/thread
  allocate  stream 1  4 bytes/thread
  allocate  stream 2  4 bytes/thread
  allocate  stream 3  8 bytes/thread
  launch    k(stream 0, stream 3)
  blocks    0 of 8 basic blocks, counters in stream 0, counts in stream 1, ranks in stream 2, then block 1
    block   1 k.block1(stream 0, stream 2, stream 3)  12 bytes/thread loaded, 9 stored, then block 1 or 2
    block   2 k.block2(stream 0, stream 2)
    count   k.count(stream 0, stream 1, thread.size, partition.block)
    list    k.list(stream 0, stream 1, stream 2, partition.block)
  free      stream 0
  free      stream 1
  free      stream 2
  free      stream 3
)";

template <class Change> std::string broken(Change change) {
  Plan plan = partitioned();
  change(plan.partitions[0], plan);
  return verify(plan);
}

} // namespace

TEST(PlanPartition, IsWrittenAndReadBack) {
  EXPECT_EQ(text(partitioned()), kText);
  auto read = parse(kText);
  ASSERT_TRUE(read) << read.message();
  EXPECT_EQ(read->at(0).partitions, partitioned().partitions);
  EXPECT_EQ(read->at(0), partitioned());
}

TEST(PlanPartition, IsFoundByItsFirstKernel) {
  Plan plan = partitioned();
  EXPECT_EQ(partitionOf(plan, 0), &plan.partitions[0]);
  EXPECT_EQ(partitionOf(plan, 1), nullptr);
}

TEST(PlanPartition, MistakesOfTheTextAreTold) {
  std::string text = kText;
  auto failure = [&](const std::string& from, const std::string& to) {
    std::string other = text;
    other.replace(other.find(from), from.size(), to);
    return parse(other).message();
  };
  EXPECT_EQ(failure("block   2", "block   3"), "line 10, column 13: block 2 is next");
  EXPECT_EQ(failure("blocks    0", "blocks    1"), "line 8, column 13: partition 0 is next, behind a launch");
  EXPECT_EQ(
      failure("counts in", "count in"),
      "line 8, column 54: ', counts in' is missing before ', count in stream 1, ranks in stream 2, then block 1'");
}

TEST(PlanPartition, RulesAreChecked) {
  EXPECT_EQ(broken([](Partition&, Plan&) {}), "");
  std::string where = "spawn f:2, superstep 1, step 6 (blocks 0): ";
  EXPECT_EQ(broken([](Partition& p, Plan&) { p.blocks[1].next = {0}; }), where + "block 0 of 3 comes behind another");
  EXPECT_EQ(broken([](Partition& p, Plan&) { p.blocks[1].next = {3}; }), where + "block 3 of 3 comes behind another");
  EXPECT_EQ(broken([](Partition& p, Plan&) { p.blocks[1].next = {2, 1}; }),
            where + "the blocks behind one are not in their order");
  EXPECT_EQ(broken([](Partition& p, Plan&) { p.blocks[1].kernel = 2; }), where + "the kernel 2 does not come next");
  EXPECT_EQ(broken([](Partition& p, Plan&) { std::swap(p.count, p.list); }), where + "the kernel 4 does not come next");
  EXPECT_EQ(broken([](Partition& p, Plan&) { p.ranks = 3; }), where + "stream 3 has 8 bytes for each rank");
  EXPECT_EQ(broken([](Partition&, Plan& plan) { plan.steps.erase(plan.steps.begin() + 5); }),
            "spawn f:2, superstep 1, step 5 (blocks 0): block 0 is not the kernel of the launch before");
  EXPECT_EQ(broken([](Partition&, Plan& plan) { plan.steps.erase(plan.steps.begin() + 6); }),
            "spawn f:2: the partition 0 is not run");
}
