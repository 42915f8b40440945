// links: bsp ir diag support plan
// What the verifier refuses of spawns before the split.
#include "bsp_spawn.h"
#include "ir/verifier.h"

namespace bsgp::test {
namespace {

std::string violation(const std::string& body) {
  ir::Spawns spawns = parseSpawn(body);
  return spawns.spawns.empty() ? "not parsed" : ir::violationIn(spawns);
}

void expectViolation(const std::string& body, const std::string& said) {
  EXPECT_NE(violation(body).find(said), std::string::npos) << violation(body) << "\nis not: " << said;
}

// A spawn begins, and its first thread goes another way to %join than the others.
const std::string kFirstThread = R"(
    %e = call i32 @bsgp.enter()
    %r = call i32 @bsgp.rank.i32(i32 %e)
    %c = icmp eq i32 %r, 0
    br i1 %c, label %then, label %join
then:
)";

TEST(Spawns, NamesOfFunctionsAreKnown) {
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

TEST(Spawns, AcceptsASpawn) {
  EXPECT_EQ(violation("%e = call i32 @bsgp.enter()\n%f = call i32 @bsgp.barrier(i32 1)\nret void"), "");
}

// In loops too: whether all threads of a block come by is not for this verifier.
TEST(Spawns, AcceptsBlockSyncAnywhere) {
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

TEST(Spawns, EnterComesFirst) {
  expectViolation("%e = call i32 @bsgp.barrier(i32 1)\n%f = call i32 @bsgp.enter()\nret void",
                  "enter is not the first of our calls");
}

TEST(Spawns, BarriersAreInOrder) {
  expectViolation("%e = call i32 @bsgp.enter()\n%f = call i32 @bsgp.barrier(i32 2)\n"
                  "%g = call i32 @bsgp.barrier(i32 1)\nret void",
                  "superstep 2 comes before what leads to it");
}

TEST(Spawns, BarriersAreOutsideOfControlFlow) {
  expectViolation(kFirstThread + R"(
    %f = call i32 @bsgp.barrier(i32 1)
    br label %join
join:
    ret void)",
                  "control flow joins the supersteps 1 and 2");
  expectViolation(R"(
    %e = call i32 @bsgp.enter()
    br label %loop
loop:
    call void @bsgp.block.sync()
    %f = call i32 @bsgp.barrier(i32 1)
    br label %loop)",
                  "control flow joins the supersteps 1 and 2");
}

TEST(Spawns, NothingReturnsBeforeTheLastBarrier) {
  expectViolation(kFirstThread + R"(
    ret void
join:
    %f = call i32 @bsgp.barrier(i32 1)
    ret void)",
                  "superstep 1 returns before the last barrier");
}

TEST(Spawns, IdsAreUnique) {
  expectViolation(R"(
    %e = call i32 @bsgp.enter()
    call void @bsgp.put.mark.i32(i32 1, i32 0)
    call void @bsgp.put.mark.i32(i32 2, i32 0)
    %f = call i32 @bsgp.barrier(i32 1)
    ret void)",
                  "an id occurs twice");
}

TEST(Spawns, EpochsAreValues) {
  expectViolation("%e = call i32 @bsgp.enter()\n%r = call i32 @bsgp.rank.i32(i32 1)\nret void",
                  "the epoch is not of enter, a barrier or a require");
}

TEST(Spawns, OldRankFollowsAReassignment) {
  expectViolation("%e = call i32 @bsgp.enter()\n%f = call i32 @bsgp.barrier.reassign(i32 1)\nret void",
                  "superstep 2: one oldrank after each reassignment");
  expectViolation("%e = call i32 @bsgp.enter()\ncall void @bsgp.oldrank.i32(i32 0)\nret void",
                  "superstep 1: one oldrank after each reassignment");
  expectViolation(R"(
    %e = call i32 @bsgp.enter()
    %f = call i32 @bsgp.barrier.reassign(i32 1)
    call void @bsgp.oldrank.i32(i32 0)
    call void @bsgp.oldrank.i32(i32 0)
    ret void)",
                  "oldrank is set twice");
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

TEST(Spawns, ValuesOfBeforeAReassignmentWaitForOldRank) {
  EXPECT_EQ(violation(withUse("AFTER", "store i32 %v, ptr addrspace(1) %a")), "");
  expectViolation(withUse("BEFORE", "store i32 %v, ptr addrspace(1) %a"),
                  "a value of before the reassignment is used before oldrank");
  EXPECT_EQ(violation(withUse("BEFORE", "store i32 7, ptr addrspace(1) %a")), ""); // parameters need no loading
}

TEST(Spawns, GetsReferToTheLastBarrier) {
  std::string early = "%e = call i32 @bsgp.enter()\n%a = call ptr addrspace(1) @bsgp.param.p1(i32 0, i32 %e)\n"
                      "%v = load i32, ptr addrspace(1) %a\n%s = call i32 @bsgp.snapshot.i32(i32 %v, i32 0)\n"
                      "%f = call i32 @bsgp.barrier(i32 1)\n";
  std::string get = "%g = call i32 @bsgp.get.i32(i32 0, i32 %s)\nret void";
  EXPECT_EQ(violation(early + get), "");
  expectViolation(early + "%h = call i32 @bsgp.barrier(i32 2)\n" + get,
                  "a get does not refer to a snapshot of the barrier just before");
  expectViolation(early + "%g = call i64 @bsgp.get.i64(i32 0, i32 %s)\nret void",
                  "a get has not the type of its snapshot");
}

TEST(Spawns, PutsAreReceivedAsTheyAreRightAfterTheirBarrier) {
  std::string put = "%e = call i32 @bsgp.enter()\ncall void @bsgp.put.mark.i32(i32 1, i32 0)\n"
                    "call void @bsgp.put.f32(i32 1, i32 0, float 1.0)\n%f = call i32 @bsgp.barrier(i32 1)\n";
  std::string landed = "%h = call i1 @bsgp.put.landed(i32 EPOCH, i32 0)\n", end = "ret void";
  std::string value = "%x = call float @bsgp.put.value.f32(i32 EPOCH, i32 0)\n";
  std::string later = put + "%g = call i32 @bsgp.barrier(i32 2)\n",
              said = "a put is not received right after its barrier";
  auto in = [](const std::string& text, const char* epoch) {
    return std::regex_replace(text, std::regex("EPOCH"), epoch);
  };
  EXPECT_EQ(violation(put + in(landed + value, "%f") + end), "");
  expectViolation(later + in(landed, "%g") + end, said);
  expectViolation(later + in(value, "%g") + end, said);
  expectViolation(put + "%x = call i32 @bsgp.put.value.i32(i32 %f, i32 0)\n" + end,
                  "a put is received as another type");
}

TEST(Spawns, NothingOfOursIsInHostFunctions) {
  ir::Spawns spawns = parseSpawn("%e = call i32 @bsgp.enter()\nret void", 32,
                                 "define i32 @host() {\n  %e = call i32 @bsgp.enter()\n  ret i32 0\n}");
  EXPECT_EQ(ir::violationIn(spawns),
            "host: a call of ours outside of spawns and kernels:  %e = call i32 @bsgp.enter()");
}

TEST(SpawnsDeathTest, AViolationNamesPassAndFunction) {
  EXPECT_DEATH(compile("%e = call i32 @bsgp.enter()\n%f = call i32 @bsgp.barrier(i32 2)\nret void"), "irgen, spawn");
}

} // namespace
} // namespace bsgp::test
