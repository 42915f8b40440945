// links: ir plan support
// What the verifier refuses of kernels behind the split.
#include <gtest/gtest.h>
#include <llvm/AsmParser/Parser.h>
#include <llvm/Support/SourceMgr.h>

#include "ir/verifier.h"

namespace bsgp::test {
namespace {

const char* kDeclarations = R"(
declare i32 @bsgp.rank.i32(i32)
declare i64 @bsgp.rank.i64(i32)
declare i32 @bsgp.size.i32(i32)
declare i32 @bsgp.barrier(i32)
declare void @bsgp.assert(i1, ptr)
declare void @bsgp.print(ptr, ...)
declare void @bsgp.block.sync()
declare i32 @bsgp.warp.ballot(i1)
declare i32 @bsgp.tile.rank()
@text = constant [1 x i8] zeroinitializer
)";

// One spawn of one kernel, @spawn.0.1.
plan::Plan planOf(const std::vector<plan::Param>& params) {
  plan::Plan plan;
  plan.name = "test:1";
  plan.symbol = "plan.0";
  plan.slots = {{"n", 8, 4}, {"p", 16, 8}};
  plan.streams = {{4}};
  plan.supersteps.resize(1);
  plan.kernels.push_back({"spawn.0.1", params, 1, 0, 0});
  return plan;
}

std::string violationIn(const std::string& text, plan::Plan plan) {
  ir::Kernels kernels;
  kernels.context = std::make_unique<llvm::LLVMContext>();
  llvm::SMDiagnostic problem;
  kernels.module = llvm::parseAssemblyString(kDeclarations + text, problem, *kernels.context);
  if (!kernels.module)
    return "not parsed: " + problem.getMessage().str();
  kernels.plans = {std::move(plan)};
  kernels.reports.resize(1);
  return ir::violationIn(kernels);
}

std::string violationIn(const std::string& text, const std::vector<plan::Param>& params = {}) {
  return violationIn(text, planOf(params));
}

std::string violationInBody(const std::string& body) {
  return violationIn("define internal void @spawn.0.1() {\n" + body + "\nret void\n}");
}

std::string violationInArguments(const std::string& arguments, const std::vector<plan::Param>& params) {
  return violationIn("define internal void @spawn.0.1(" + arguments + ") {\nret void\n}", params);
}

TEST(Kernels, WhatTargetsLowerIsAccepted) {
  EXPECT_EQ(violationInBody(R"(
    %r = call i32 @bsgp.rank.i32(i32 0)
    %c = icmp ult i32 %r, 7
    call void @bsgp.assert(i1 %c, ptr @text)
    call void (ptr, ...) @bsgp.print(ptr @text, i64 1)
    call void @bsgp.block.sync()
    %b = call i32 @bsgp.warp.ballot(i1 %c)
    %t = call i32 @bsgp.tile.rank())"),
            "");
}

TEST(Kernels, SuperstepsAreGone) {
  EXPECT_EQ(violationInBody("%e = call i32 @bsgp.barrier(i32 1)"),
            "spawn.0.1: a kernel has no supersteps:  %e = call i32 @bsgp.barrier(i32 1)");
  EXPECT_EQ(violationInBody("%n = call i32 @bsgp.size.i32(i32 0)"),
            "spawn.0.1: a kernel has no supersteps:  %n = call i32 @bsgp.size.i32(i32 0)");
}

TEST(Kernels, TheRankIsTheThreadsOwn) {
  EXPECT_EQ(violationInBody("%r = call i32 @bsgp.rank.i32(i32 1)"),
            "spawn.0.1: not the thread's own rank:  %r = call i32 @bsgp.rank.i32(i32 1)");
  EXPECT_EQ(violationInBody("%r = call i64 @bsgp.rank.i64(i32 0)"),
            "spawn.0.1: not the thread's own rank:  %r = call i64 @bsgp.rank.i64(i32 0)");
}

TEST(Kernels, EachParamIsAnArgument) {
  std::vector<plan::Param> params{{plan::Param::Frame, 0}, {plan::Param::Stream, 0}, {plan::Param::Size, 0}};
  EXPECT_EQ(violationInArguments("i32 %n, ptr addrspace(1) %t0, i32 %size", params), "");
  EXPECT_EQ(violationInArguments("i32 %n, ptr addrspace(1) %t0", params),
            "spawn.0.1: there are 2 arguments, the plan names 3");
}

TEST(Kernels, ArgumentsHaveTheTypesOfTheirParams) {
  EXPECT_EQ(violationInArguments("i64 %n", {{plan::Param::Frame, 0}}), "spawn.0.1: argument 0 has 8 bytes, its slot 4");
  EXPECT_EQ(violationInArguments("ptr addrspace(1) %p", {{plan::Param::Frame, 1}}), "");
  EXPECT_EQ(violationInArguments("<2 x i32> %p", {{plan::Param::Frame, 1}}), "spawn.0.1: argument 0 is no scalar");
  EXPECT_EQ(violationInArguments("ptr %t0", {{plan::Param::Stream, 0}}),
            "spawn.0.1: argument 0 is a stream and no device pointer");
  EXPECT_EQ(violationInArguments("i64 %size", {{plan::Param::OldSize, 0}}),
            "spawn.0.1: argument 0 counts threads and is no rank");
}

TEST(Kernels, ParamsAreOfThePlan) {
  EXPECT_EQ(violationInArguments("i32 %n", {{plan::Param::Frame, 2}}), "spawn.0.1: argument 0 is slot 2 of 2");
  EXPECT_EQ(violationInArguments("ptr addrspace(1) %t", {{plan::Param::Stream, 1}}),
            "spawn.0.1: argument 0 is stream 1 of 1");
}

// Host code that runs the plan, whose slots end at 24 and thread.size at 8, in a frame of so many bytes.
std::string violationInFrameOf(const std::string& frame, plan::Plan plan = planOf({})) {
  return violationIn(R"(
    define void @spawn.0.1() {
      ret void
    }
    @plan.0 = external constant i8
    declare i32 @bsgp_rt_run(ptr, ptr, ptr)
    define i32 @host(ptr %call) {
      %frame = )" + frame +
                         R"(
      %status = call i32 @bsgp_rt_run(ptr %call, ptr @plan.0, ptr %frame)
      ret i32 %status
    })",
                     std::move(plan));
}

TEST(Kernels, SlotsLieInTheFrame) {
  EXPECT_EQ(violationInFrameOf("alloca [24 x i8]"), "");
  EXPECT_EQ(violationInFrameOf("alloca [23 x i8]"), "host: p of test:1 is at 16 of a frame of 23 bytes");
  EXPECT_EQ(violationInFrameOf("alloca [8 x i8]"), "host: n of test:1 is at 8 of a frame of 8 bytes");
  EXPECT_EQ(violationInFrameOf("inttoptr i64 16 to ptr"),
            "host: the frame is none of the function's variables:  %status = call i32 @bsgp_rt_run(ptr %call, ptr "
            "@plan.0, ptr %frame)");
}

TEST(Kernels, DecisionsLieInTheFrame) {
  plan::Plan plan = planOf({});
  plan.decision_offset = 24;
  EXPECT_EQ(violationInFrameOf("alloca [24 x i8]", plan), ""); // there is none
  plan.supersteps = {{1, 1, false, {2, 0}}, {1, 1}};
  EXPECT_EQ(violationInFrameOf("alloca [28 x i8]", plan), "");
  EXPECT_EQ(violationInFrameOf("alloca [27 x i8]", plan), "host: decision of test:1 is at 24 of a frame of 27 bytes");
}

TEST(Kernels, EachIsAFunctionOfTheModule) {
  EXPECT_EQ(violationIn(""), "spawn.0.1: the plan test:1 names it, the module has no such function");
  EXPECT_EQ(violationIn("declare void @spawn.0.1()"), "spawn.0.1: a kernel without a body");
  EXPECT_EQ(violationIn("define i32 @spawn.0.1() {\nret i32 0\n}"), "spawn.0.1: a kernel returns a value");
}

TEST(Kernels, HostFunctionsCallNothingOfOurs) {
  EXPECT_EQ(violationIn("define void @spawn.0.1() {\nret void\n}\n"
                        "define i32 @host() {\n%r = call i32 @bsgp.rank.i32(i32 0)\nret i32 %r\n}"),
            "host: a call of ours outside of spawns and kernels:  %r = call i32 @bsgp.rank.i32(i32 0)");
}

TEST(Kernels, LlvmAccepts) {
  std::string unordered = "%a = add i32 %b, 1\n%b = add i32 1, 2";
  EXPECT_NE(violationInBody(unordered).find("Instruction does not dominate all uses!"), std::string::npos);
}

} // namespace
} // namespace bsgp::test
