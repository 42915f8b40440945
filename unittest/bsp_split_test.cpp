// links: bsp ir diag support plan
// The kernels and steps that come out, where the paper has no table for it.
#include "bsp_spawn.h"

#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>

namespace bsgp::test {
namespace {

using Rows = std::vector<std::string>;

// `steps` supersteps; each loads a value, uses the one loaded before, and one that lives from the first to the last.
std::string longProgram(unsigned steps) {
  std::string text = "%e1 = call i32 @bsgp.enter()\n%a = call ptr addrspace(1) @bsgp.param.p1(i32 0, i32 %e1)\n"
                     "%rank = call i32 @bsgp.rank.i32(i32 %e1)\n%n = call i32 @bsgp.param.i32(i32 1, i32 %e1)\n"
                     "%all~ = load i32, ptr addrspace(1) %a\n%v0~ = add i32 %all~, %rank\n";
  for (unsigned k = 1; k < steps; ++k)
    text += fmt::format("%e{2} = call i32 @bsgp.barrier(i32 {1})\n"
                        "%c{1} = icmp slt i32 %v{0}~, %n\nbr i1 %c{1}, label %then{1}, label %join{1}\nthen{1}:\n"
                        "%at{1} = getelementptr i32, ptr addrspace(1) %a, i32 %v{0}~\n"
                        "store i32 %all~, ptr addrspace(1) %at{1}\nbr label %join{1}\njoin{1}:\n"
                        "%to{1} = getelementptr i32, ptr addrspace(1) %a, i32 %rank\n"
                        "%v{1}~ = load i32, ptr addrspace(1) %to{1}\n",
                        k - 1, k, k + 1);
  return text + fmt::format("store i32 %v{}~, ptr addrspace(1) %a\nret void", steps - 1);
}

size_t instructionCount(SpawnProgram& program) {
  size_t count = 0;
  for (llvm::Function& function : *program.kernels.module)
    count += function.getInstructionCount();
  return count;
}

TEST(Split, IsLinearInTheNumberOfBarriers) {
  auto shorter = compile(longProgram(100)), longer = compile(longProgram(400));
  EXPECT_EQ(shorter->plan().kernels.size(), 100u);
  EXPECT_EQ(longer->plan().kernels.size(), 400u);
  EXPECT_LT(double(instructionCount(*longer)), 4.1 * double(instructionCount(*shorter)));
  EXPECT_EQ(longer->plan().streams.size(), 2u); // one for the long value, one for all the others in turn
}

TEST(Split, KernelsAreScalarThreadFunctions) {
  auto program = compile(longProgram(3));
  EXPECT_EQ(program->kernels.module->getFunction("spawn"), nullptr);
  llvm::Function* kernel = program->kernel(2);
  ASSERT_TRUE(kernel);
  EXPECT_EQ(kernel->getName(), "spawn.2");
  EXPECT_TRUE(kernel->hasInternalLinkage());
  EXPECT_TRUE(kernel->doesNotThrow());
  const plan::Kernel& plan = program->plan().kernels[1];
  ASSERT_EQ(kernel->arg_size(), plan.params.size());
  for (unsigned i = 0; i < plan.params.size(); ++i)
    EXPECT_EQ(kernel->getArg(i)->hasNoAliasAttr(), plan.params[i].kind == plan::Param::Stream) << i;
  for (llvm::Instruction& instruction : llvm::instructions(*kernel))
    EXPECT_TRUE(ir::opOf(instruction) == ir::Op::None || ir::opOf(instruction) == ir::Op::Rank);
}

// What a tile is called is neither merged over a barrier nor computed again behind it; in a superstep it is one call.
TEST(Split, TilesStayInTheirSuperstep) {
  auto program = compile(entered({"a"}) + R"(
    %rank = call i32 @bsgp.rank.i32(i32 %e1)
    %at = getelementptr i32, ptr addrspace(1) %a, i32 %rank
    %first = call i32 @bsgp.tile.rank()
    store i32 %first, ptr addrspace(1) %at
    %again = call i32 @bsgp.tile.rank()
    store i32 %again, ptr addrspace(1) %a
    %e2 = call i32 @bsgp.barrier(i32 1)
    %next = call i32 @bsgp.tile.rank()
    %both = add i32 %next, %first
    store i32 %both, ptr addrspace(1) %at
    ret void)");
  EXPECT_EQ(program->plan().streams.size(), 1u);
  for (unsigned step : {1u, 2u}) {
    std::vector<llvm::CallInst*> calls;
    for (llvm::Instruction& instruction : llvm::instructions(*program->kernel(step)))
      if (ir::opOf(instruction) == ir::Op::TileRank)
        calls.push_back(llvm::cast<llvm::CallInst>(&instruction));
    ASSERT_EQ(calls.size(), 1u) << step;
    EXPECT_TRUE(calls[0]->doesNotAccessMemory()) << step; // nothing is left that it must not pass
  }
}

TEST(Split, NothingToDoIsNoLaunch) {
  auto program = compile(entered({"a"}) + R"(
    %e2 = call i32 @bsgp.barrier(i32 1)
    %r = call i32 @bsgp.rank.i32(i32 %e1)
    store i32 %r, ptr addrspace(1) %a
    %e3 = call i32 @bsgp.barrier(i32 2)
    ret void)");
  EXPECT_FALSE(kernelOf(program->plan(), 1));
  EXPECT_TRUE(kernelOf(program->plan(), 2));
  EXPECT_FALSE(kernelOf(program->plan(), 3));
  EXPECT_EQ(stepRows(program->plan()), (Rows{"Superstep 1", "Superstep 2", "Launch 0", "Superstep 3"}));
  EXPECT_TRUE(program->report().crossing.empty());
}

TEST(Split, UnusedValuesAreNotSaved) {
  auto program = compile(entered({"a"}) + R"(
    %v~ = load i32, ptr addrspace(1) %a
    %e2 = call i32 @bsgp.barrier(i32 1)
    %w~ = add i32 %v~, 1
    store i32 3, ptr addrspace(1) %a
    ret void)");
  EXPECT_TRUE(program->report().crossing.empty());
  EXPECT_TRUE(program->plan().streams.empty());
}

TEST(Split, BoolIsKeptAsAByte) {
  auto program = compile(entered({"a"}) + R"(
    %v = load i32, ptr addrspace(1) %a
    %c~ = icmp slt i32 %v, 5
    %e2 = call i32 @bsgp.barrier(i32 1)
    %x = select i1 %c~, i32 1, i32 2
    store i32 %x, ptr addrspace(1) %a
    ret void)");
  EXPECT_EQ(crossingRows(program->report()), (Rows{"c: 1 -> 2 stream 0"}));
  EXPECT_EQ(program->plan().streams[0].bytes, 1u);
  EXPECT_NE(program->kernelText(1).find("store i8"), std::string::npos);
}

TEST(Split, CastsAndAddressesAreRecomputed) {
  auto program = compile(entered({"a"}) + R"(
    %i~ = load i32, ptr addrspace(1) %a
    %wide = sext i32 %i~ to i64
    %at = getelementptr i32, ptr addrspace(1) %a, i64 %wide
    store i32 1, ptr addrspace(1) %at
    %e2 = call i32 @bsgp.barrier(i32 1)
    store i32 2, ptr addrspace(1) %at
    ret void)");
  EXPECT_EQ(crossingRows(program->report()), (Rows{"i: 1 -> 2 stream 0"}));
  EXPECT_EQ(program->plan().streams[0].bytes, 4u);
}

TEST(Split, ValueUsedMuchLaterIsLoadedThere) {
  auto program = compile(longProgram(20));
  const plan::CrossingValue& all = program->report().crossing.front();
  EXPECT_EQ(all.name, "all");
  EXPECT_EQ(all.used.front(), 2u);
  EXPECT_EQ(all.used.back(), 20u);
}

// A rank, and a reassignment behind it.
const std::string kRankBefore = entered({"a"}) + R"(
    %rk0~ = call i32 @bsgp.rank.i32(i32 %e1)
    %e2 = call i32 @bsgp.barrier.reassign(i32 1)
    %o = load i32, ptr addrspace(1) %a
    call void @bsgp.oldrank.i32(i32 %o)
)";

TEST(Split, RankOfBeforeTwoReassignmentsBecomesAValue) {
  auto program = compile(kRankBefore + R"(
    %e3 = call i32 @bsgp.barrier(i32 2)
    store i32 %rk0~, ptr addrspace(1) %a
    ret void)");
  EXPECT_EQ(crossingRows(program->report()), (Rows{"rk0: 1 -> 3 stream 0"}));
  ASSERT_EQ(program->report().values.size(), 1u);
  EXPECT_EQ(program->report().values[0].start, 5u); // at the end of superstep 2, as oldrank
  EXPECT_EQ(program->report().values[0].generation, 1u);
}

TEST(Split, RankAfterOneReassignmentIsOldRank) {
  auto program = compile(kRankBefore + R"(
    store i32 %rk0~, ptr addrspace(1) %a
    ret void)");
  EXPECT_EQ(crossingRows(program->report()), (Rows{"rk0: 1 -> 2 not stored, oldrank"}));
  EXPECT_TRUE(program->plan().streams.empty());
}

TEST(Split, GetForcesASaveAndLivesToTheEndOfItsReader) {
  auto program = compile(entered({"a"}) + R"(
    %r = call i32 @bsgp.rank.i32(i32 %e1)
    %f~ = mul i32 %r, 3
    %s = call i32 @bsgp.snapshot.i32(i32 %f~, i32 0)
    %e2 = call i32 @bsgp.barrier(i32 1)
    %next = add i32 %r, 1
    %g = call i32 @bsgp.get.i32(i32 %next, i32 %s)
    store i32 %g, ptr addrspace(1) %a
    ret void)");
  EXPECT_EQ(crossingRows(program->report()), (Rows{"f: 1 -> 2 stream 0"}));
  EXPECT_EQ(program->report().values[0].end, 5u);
}

TEST(Split, GetOfAParameterIsTheParameter) {
  auto program = compile(entered({"a"}) + R"(
    %n = call i32 @bsgp.param.i32(i32 1, i32 %e1)
    %m = add i32 %n, 1
    %s = call i32 @bsgp.snapshot.i32(i32 %m, i32 0)
    %e2 = call i32 @bsgp.barrier(i32 1)
    %g = call i32 @bsgp.get.i32(i32 5, i32 %s)
    store i32 %g, ptr addrspace(1) %a
    ret void)");
  EXPECT_TRUE(program->plan().streams.empty());
}

TEST(Split, PutsClearTheirFlagsAndUnreceivedPutsGo) {
  auto program = compile(entered({"a"}) + R"(
    call void @bsgp.put.mark.i32(i32 1, i32 0)
    call void @bsgp.put.i32(i32 1, i32 0, i32 5)
    call void @bsgp.put.mark.i32(i32 2, i32 1)
    call void @bsgp.put.i32(i32 2, i32 1, i32 6)
    %e2 = call i32 @bsgp.barrier(i32 1)
    %l = call i1 @bsgp.put.landed(i32 %e2, i32 0)
    %x = call i32 @bsgp.put.value.i32(i32 %e2, i32 0)
    %y = select i1 %l, i32 %x, i32 9
    store i32 %y, ptr addrspace(1) %a
    ret void)");
  EXPECT_EQ(program->plan().streams.size(), 2u);
  EXPECT_EQ(stepRows(program->plan()), (Rows{"Superstep 1", "Allocate 0", "Allocate 1", "Clear 0", "Launch 0",
                                             "Superstep 2", "Launch 1", "Free 0", "Free 1"}));
  for (const plan::StreamValue& value : program->report().values)
    EXPECT_EQ(value.start, 2u) << value.name; // from the beginning of its writer
}

TEST(Split, ArrayAcrossABarrierIsRemarked) {
  auto program = compile(R"(
    %array~ = alloca [12 x i32]
    %e1 = call i32 @bsgp.enter()
    %a = call ptr addrspace(1) @bsgp.param.p1(i32 0, i32 %e1)
    %i = load i32, ptr addrspace(1) %a
    %at = getelementptr i32, ptr %array~, i32 %i
    store i32 5, ptr %at
    %e2 = call i32 @bsgp.barrier(i32 1)
    %x = load i32, ptr %at
    store i32 %x, ptr addrspace(1) %a
    ret void)",
                         0); // else the load is known to give 5
  EXPECT_EQ(program->report().remarks,
            (Rows{"the array array lives across barrier 1: 48 bytes per thread in a stream"}));
  EXPECT_EQ(crossingRows(program->report()), (Rows{"array: 1 -> 2 stream 0", "%i: 1 -> 2 stream 1"}));
}

TEST(Split, ArrayOfOneSuperstepStaysThere) {
  auto program =
      compile(R"(
    %array~ = alloca [12 x i32]
    %e1 = call i32 @bsgp.enter()
    %a = call ptr addrspace(1) @bsgp.param.p1(i32 0, i32 %e1)
    %i = load i32, ptr addrspace(1) %a
    call void @llvm.lifetime.start.p0(i64 48, ptr %array~)
    %at = getelementptr i32, ptr %array~, i32 %i
    store i32 5, ptr %at
    %x = load i32, ptr %array~
    store i32 %x, ptr addrspace(1) %a
    call void @llvm.lifetime.end.p0(i64 48, ptr %array~)
    %e2 = call i32 @bsgp.barrier(i32 1)
    call void @llvm.lifetime.start.p0(i64 48, ptr %array~)
    %j = load i32, ptr addrspace(1) %a
    %at2 = getelementptr i32, ptr %array~, i32 %j
    store i32 6, ptr %at2
    %y = load i32, ptr %array~
    store i32 %y, ptr addrspace(1) %a
    ret void)",
              3, 32, "declare void @llvm.lifetime.start.p0(i64, ptr)\ndeclare void @llvm.lifetime.end.p0(i64, ptr)");
  EXPECT_TRUE(program->plan().streams.empty());
  EXPECT_TRUE(program->report().remarks.empty());
}

const char* kPointerProgram = R"(
  %x~ = alloca [4 x i32]
  %y~ = alloca [4 x i32]
  %e1 = call i32 @bsgp.enter()
  %a = call ptr addrspace(1) @bsgp.param.p1(i32 0, i32 %e1)
  %i = load i32, ptr addrspace(1) %a
  %xi = getelementptr i32, ptr %x~, i32 %i
  %yi = getelementptr i32, ptr %y~, i32 %i
  store i32 5, ptr %xi
  store i32 6, ptr %yi
  %c = icmp eq i32 %i, 3
  %p~ = select i1 %c, ptr %xi, ptr %yi
  {}
  %v = load i32, ptr %p~
  store i32 %v, ptr addrspace(1) %a
  ret void)";

TEST(Split, PrivatePointerMayNotCross) {
  std::string text = kPointerProgram;
  auto program = compile(text.replace(text.find("{}"), 2, "%e2 = call i32 @bsgp.barrier(i32 1)"));
  ASSERT_TRUE(program->diagnostics.hasErrors());
  EXPECT_EQ(program->diagnostics.all()[0].kind, Diag::private_pointer_crosses);
}

TEST(Split, PrivatePointerWithinASuperstepIsFine) {
  std::string text = kPointerProgram;
  auto program = compile(text.replace(text.find("{}"), 2, ""));
  EXPECT_FALSE(program->diagnostics.hasErrors());
}

TEST(Split, PrivatePointerInAnArrayThatCrossesIsAnError) {
  auto program = compile(R"(
    %x~ = alloca [4 x i32]
    %keep~ = alloca [4 x ptr]
    %e1 = call i32 @bsgp.enter()
    %a = call ptr addrspace(1) @bsgp.param.p1(i32 0, i32 %e1)
    %i = load i32, ptr addrspace(1) %a
    %xi = getelementptr i32, ptr %x~, i32 %i
    store i32 5, ptr %xi
    %k = getelementptr ptr, ptr %keep~, i32 %i
    store ptr %xi, ptr %k
    %e2 = call i32 @bsgp.barrier(i32 1)
    %p = load ptr, ptr %k
    %v = load i32, ptr %p
    store i32 %v, ptr addrspace(1) %a
    ret void)",
                         0);
  EXPECT_TRUE(program->diagnostics.hasErrors());
}

TEST(Split, CodeThatNeverEndsLosesWhatFollows) {
  auto program = compile(entered({"a"}) + R"(
    store i32 1, ptr addrspace(1) %a
    br label %loop
loop:
    br label %loop
behind:
    %e2 = call i32 @bsgp.barrier(i32 1)
    store i32 2, ptr addrspace(1) %a
    ret void)");
  EXPECT_TRUE(kernelOf(program->plan(), 1));
  EXPECT_FALSE(kernelOf(program->plan(), 2));
}

TEST(Split, PartsOfStructValuesCross) {
  auto program = compile(entered({"a"}) + R"(
    %v = load i32, ptr addrspace(1) %a
    %both = call { i32, i1 } @llvm.sadd.with.overflow.i32(i32 %v, i32 7)
    %e2 = call i32 @bsgp.barrier(i32 1)
    %sum = extractvalue { i32, i1 } %both, 0
    store i32 %sum, ptr addrspace(1) %a
    ret void)",
                         0, 32, "declare { i32, i1 } @llvm.sadd.with.overflow.i32(i32, i32)");
  ASSERT_EQ(program->report().crossing.size(), 1u);
  EXPECT_EQ(program->report().crossing[0].name, "%sum");
}

} // namespace
} // namespace bsgp::test
