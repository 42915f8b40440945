// links: bsp ir diag support plan
// The programs of the paper, and what becomes of their values.
#include "bsp_spawn.h"
#include "plan/table.h"
#include "plan/words.h"

namespace bsgp::test {
namespace {

using Rows = std::vector<std::string>;

const char* kListing3 = R"(
  %e1 = call i32 @bsgp.enter()
  %rk0~ = call i32 @bsgp.rank.i32(i32 %e1)
  %f~ = sdiv i32 %rk0~, 3
  %ib = call ptr addrspace(1) @bsgp.param.p1(i32 0, i32 %e1)
  %wide = sext i32 %rk0~ to i64
  %at = getelementptr i32, ptr addrspace(1) %ib, i64 %wide
  %v~ = load i32, ptr addrspace(1) %at
  %r0 = call i32 @bsgp.require(i32 0)
  %sorted = call ptr addrspace(1) @bsgp.param.p1(i32 1, i32 %r0)
  %tmp = getelementptr i32, ptr addrspace(1) %sorted, i64 %wide
  store i32 %v~, ptr addrspace(1) %tmp
  %e2 = call i32 @bsgp.barrier.reassign(i32 1)
  %r1 = call i32 @bsgp.require(i32 1)
  %r = call i32 @bsgp.rank.i32(i32 %e2)
  %sorted2 = call ptr addrspace(1) @bsgp.param.p1(i32 1, i32 %r0)
  %wide2 = sext i32 %r to i64
  %at2 = getelementptr i32, ptr addrspace(1) %sorted2, i64 %wide2
  %old = load i32, ptr addrspace(1) %at2
  call void @bsgp.oldrank.i32(i32 %old)
  %rk1~ = call i32 @bsgp.rank.i32(i32 %e2)
  %pf = call ptr addrspace(1) @bsgp.param.p1(i32 2, i32 %e1)
  %owner = call ptr addrspace(1) @bsgp.param.p1(i32 3, i32 %r1)
  %wide3 = sext i32 %rk1~ to i64
  %at3 = getelementptr i32, ptr addrspace(1) %pf, i64 %wide3
  store i32 %f~, ptr addrspace(1) %at3
  %at4 = getelementptr i32, ptr addrspace(1) %owner, i64 %wide3
  store i32 %v~, ptr addrspace(1) %at4
  %e3 = call i32 @bsgp.barrier(i32 2)
  %first = icmp eq i32 %rk1~, 0
  br i1 %first, label %then, label %else
else:
  %before = sub i32 %rk1~, 1
  %wide5 = sext i32 %before to i64
  %owner3 = call ptr addrspace(1) @bsgp.param.p1(i32 3, i32 %r1)
  %at5 = getelementptr i32, ptr addrspace(1) %owner3, i64 %wide5
  %o = load i32, ptr addrspace(1) %at5
  %differs = icmp ne i32 %o, %v~
  br i1 %differs, label %then, label %done
then:
  %hd = call ptr addrspace(1) @bsgp.param.p1(i32 4, i32 %e1)
  %wide6 = sext i32 %v~ to i64
  %at6 = getelementptr i32, ptr addrspace(1) %hd, i64 %wide6
  store i32 %rk1~, ptr addrspace(1) %at6
  br label %done
done:
  ret void
)";

const char* kListing5 = R"(
  %e1 = call i32 @bsgp.enter()
  %a = call ptr addrspace(1) @bsgp.param.p1(i32 0, i32 %e1)
  %v0~ = load i32, ptr addrspace(1) %a
  %a1 = getelementptr i32, ptr addrspace(1) %a, i64 1
  %v1~ = load i32, ptr addrspace(1) %a1
  %e2 = call i32 @bsgp.barrier(i32 1)
  %v2~ = add i32 %v0~, %v0~
  %e3 = call i32 @bsgp.barrier(i32 2)
  %v3~ = add i32 %v1~, %v2~
  %e4 = call i32 @bsgp.barrier(i32 3)
  %v4~ = add i32 %v3~, %v1~
  store i32 %v4~, ptr addrspace(1) %a
  ret void
)";

TEST(Tables, Listing3IsTable1) {
  auto program = compile(kListing3);
  EXPECT_EQ(crossingRows(program->report()),
            (Rows{"f: 1 -> 2 not stored, recomputed from oldrank", "v: 1 -> 2, 3 stream 0, stream 1"}));
}

TEST(Tables, Listing3IsListing4) {
  auto program = compile(kListing3);
  EXPECT_EQ(stepRows(program->plan()),
            (Rows{"Superstep 1", "Require 0", "Allocate 0", "Launch 0", "Superstep 2", "Require 1", "Allocate 1",
                  "Launch 1", "Free 0", "Superstep 3", "Launch 2", "Free 1"}));
  const plan::Kernel& second = program->plan().kernels[1];
  EXPECT_EQ(plan::paramNames(second, plan::slotLabels(program->plan())),
            "p1 [r], p2 [w], p3 [w], stream 0 [r*], stream 1 [w]");
  EXPECT_EQ(second.loaded, 4u);
  EXPECT_EQ(second.stored, 4u);
  EXPECT_EQ(second.symbol, "spawn.2");
}

TEST(Tables, Listing3WithoutOptimizationIsTheSame) {
  auto program = compile(kListing3, 0);
  EXPECT_EQ(crossingRows(program->report()),
            (Rows{"f: 1 -> 2 not stored, recomputed from oldrank", "v: 1 -> 2, 3 stream 0, stream 1"}));
}

TEST(Tables, Listing5IsTable2InTwoStreams) {
  auto program = compile(kListing5);
  EXPECT_EQ(crossingRows(program->report()),
            (Rows{"v0: 1 -> 2 stream 0", "v1: 1 -> 3, 4 stream 1", "v2: 2 -> 3 stream 0", "v3: 3 -> 4 stream 0"}));
  EXPECT_EQ(program->plan().streams.size(), 2u);
}

TEST(Tables, Listing5HasTheLivesOfFigure4) {
  auto program = compile(kListing5);
  Rows lives;
  for (const plan::StreamValue& value : program->report().values)
    lives.push_back(fmt::format("{} {}-{} in {}", value.name, value.start, value.end, value.stream));
  EXPECT_EQ(lives, (Rows{"v0 3-4 in 0", "v1 3-8 in 1", "v2 5-6 in 0", "v3 7-8 in 0"}));
  EXPECT_EQ(stepRows(program->plan()),
            (Rows{"Superstep 1", "Allocate 0", "Allocate 1", "Launch 0", "Superstep 2", "Launch 1", "Superstep 3",
                  "Launch 2", "Superstep 4", "Launch 3", "Free 0", "Free 1"}));
}

} // namespace
} // namespace bsgp::test
