// links: bsp ir diag support plan
// What the contract verifier refuses.
#include "bsp_spawn.h"

#include "ir/verifier.h"

namespace bsgp::test {
namespace {

std::string violation(const std::string& body) {
  SpawnProgram program;
  parseSpawn(program, body);
  if (program.compiled.spawns.empty())
    return "not parsed";
  return ir::violationInSpawn(*program.spawn().function, program.spawn());
}

TEST(Contract, NamesOfFunctionsAreKnown) {
  llvm::LLVMContext context;
  llvm::Module module("m", context);
  llvm::Type* i32 = llvm::Type::getInt32Ty(context);
  EXPECT_EQ(ir::declare(module, ir::Op::Get, i32, i32).getCallee()->getName(), "bsgp.get.i32");
  EXPECT_EQ(ir::declare(module, ir::Op::Get, i32, llvm::Type::getInt64Ty(context)).getCallee()->getName(),
            "bsgp.get.i32.r64");
  EXPECT_EQ(ir::declare(module, ir::Op::Param, llvm::PointerType::get(context, 1)).getCallee()->getName(),
            "bsgp.param.p1");
  EXPECT_EQ(ir::declare(module, ir::Op::Barrier).getCallee(), ir::declare(module, ir::Op::Barrier).getCallee());
}

TEST(Contract, AcceptsASpawn) {
  EXPECT_EQ(violation("%e = call i32 @bsgp.enter()\n%f = call i32 @bsgp.barrier(i32 1)\nret void"), "");
}

// In loops too: whether all threads of a block come by is not for this verifier.
TEST(Contract, AcceptsBlockSyncAnywhere) {
  EXPECT_EQ(violation(R"(
entry:
    %e = call i32 @bsgp.enter()
    br label %loop
loop:
    %i = phi i32 [ 0, %entry ], [ %next, %loop ]
    call void @bsgp.block.sync()
    %next = add i32 %i, 1
    %c = icmp eq i32 %next, 9
    br i1 %c, label %end, label %loop
end:
    ret void)"),
            "");
}

TEST(Contract, EnterComesFirst) {
  EXPECT_NE(violation("%e = call i32 @bsgp.barrier(i32 1)\n%f = call i32 @bsgp.enter()\nret void"), "");
}

TEST(Contract, BarriersAreInOrder) {
  EXPECT_NE(violation("%e = call i32 @bsgp.enter()\n%f = call i32 @bsgp.barrier(i32 2)\n"
                      "%g = call i32 @bsgp.barrier(i32 1)\nret void"),
            "");
}

TEST(Contract, BarriersAreOutsideOfControlFlow) {
  EXPECT_NE(violation(R"(
    %e = call i32 @bsgp.enter()
    %r = call i32 @bsgp.rank.i32(i32 %e)
    %c = icmp eq i32 %r, 0
    br i1 %c, label %then, label %join
then:
    %f = call i32 @bsgp.barrier(i32 1)
    br label %join
join:
    ret void)"),
            "");
  EXPECT_NE(violation(R"(
    %e = call i32 @bsgp.enter()
    br label %loop
loop:
    %f = call i32 @bsgp.barrier(i32 1)
    br label %loop)"),
            "");
}

TEST(Contract, NothingReturnsBeforeTheLastBarrier) {
  EXPECT_NE(violation(R"(
    %e = call i32 @bsgp.enter()
    %r = call i32 @bsgp.rank.i32(i32 %e)
    %c = icmp eq i32 %r, 0
    br i1 %c, label %then, label %join
then:
    ret void
join:
    %f = call i32 @bsgp.barrier(i32 1)
    ret void)"),
            "");
}

TEST(Contract, IdsAreUnique) {
  EXPECT_NE(violation(R"(
    %e = call i32 @bsgp.enter()
    call void @bsgp.put.mark.i32(i32 1, i32 0)
    call void @bsgp.put.mark.i32(i32 2, i32 0)
    %f = call i32 @bsgp.barrier(i32 1)
    ret void)"),
            "");
}

TEST(Contract, EpochsAreValues) {
  EXPECT_NE(violation("%e = call i32 @bsgp.enter()\n%r = call i32 @bsgp.rank.i32(i32 1)\nret void"), "");
}

TEST(Contract, OldRankFollowsAReassignment) {
  EXPECT_NE(violation("%e = call i32 @bsgp.enter()\n%f = call i32 @bsgp.barrier.reassign(i32 1)\nret void"), "");
  EXPECT_NE(violation("%e = call i32 @bsgp.enter()\ncall void @bsgp.oldrank.i32(i32 0)\nret void"), "");
  EXPECT_NE(violation(R"(
    %e = call i32 @bsgp.enter()
    %f = call i32 @bsgp.barrier.reassign(i32 1)
    call void @bsgp.oldrank.i32(i32 0)
    call void @bsgp.oldrank.i32(i32 0)
    ret void)"),
            "");
}

const char* kUseAfterReassign = R"(
    %e = call i32 @bsgp.enter()
    %a = call ptr addrspace(1) @bsgp.param.p1(i32 0, i32 %e)
    %v = load i32, ptr addrspace(1) %a
    %f = call i32 @bsgp.barrier.reassign(i32 1)
    BEFORE
    call void @bsgp.oldrank.i32(i32 0)
    AFTER
    ret void)";

std::string withUse(const std::string& place, const std::string& use) {
  std::string text = kUseAfterReassign;
  text.replace(text.find(place), place.size(), use);
  return std::regex_replace(text, std::regex("BEFORE|AFTER"), "");
}

TEST(Contract, ValuesOfBeforeAReassignmentWaitForOldRank) {
  EXPECT_EQ(violation(withUse("AFTER", "store i32 %v, ptr addrspace(1) %a")), "");
  EXPECT_NE(violation(withUse("BEFORE", "store i32 %v, ptr addrspace(1) %a")), "");
  EXPECT_EQ(violation(withUse("BEFORE", "store i32 7, ptr addrspace(1) %a")), ""); // parameters need no loading
}

TEST(Contract, GetsReferToTheLastBarrier) {
  std::string early = "%e = call i32 @bsgp.enter()\n%a = call ptr addrspace(1) @bsgp.param.p1(i32 0, i32 %e)\n"
                      "%v = load i32, ptr addrspace(1) %a\n%s = call i32 @bsgp.snapshot.i32(i32 %v, i32 0)\n"
                      "%f = call i32 @bsgp.barrier(i32 1)\n";
  std::string get = "%g = call i32 @bsgp.get.i32(i32 0, i32 %s)\nret void";
  EXPECT_EQ(violation(early + get), "");
  EXPECT_NE(violation(early + "%h = call i32 @bsgp.barrier(i32 2)\n" + get), "");
}

TEST(Contract, NothingOfOursIsInHostFunctions) {
  SpawnProgram program;
  parseSpawn(program, "%e = call i32 @bsgp.enter()\nret void", 32,
             "define i32 @host() {\n  %e = call i32 @bsgp.enter()\n  ret i32 0\n}");
  EXPECT_NE(ir::violationOutside(*program.compiled.module, program.compiled), "");
}

TEST(ContractDeathTest, AViolationNamesPassAndFunction) {
  EXPECT_DEATH(compile("%e = call i32 @bsgp.enter()\n%f = call i32 @bsgp.barrier(i32 2)\nret void"), "irgen, spawn");
}

} // namespace
} // namespace bsgp::test
