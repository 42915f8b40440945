// links: irgen ir expand sema parse lex diag support
// Spawns in the form of the contract: epochs, versions, communication, and the plan that goes with them.
#include "ir/names.h"
#include "irgen_program.h"

namespace bsgp::test {
namespace {

using llvm::CallInst;

TEST(IrgenSpawn, EnterIsTheFirstInstructionAndBarriersCount) {
  Emitted e(spawnOf("p[thread.rank] = 1; barrier; p[0] = 2; barrier; p[1] = 3;"));
  EXPECT_EQ(ir::opOf(e.kernel().getEntryBlock().front()), Op::Enter);
  auto barriers = callsOf(e.kernel(), Op::Barrier);
  ASSERT_EQ(barriers.size(), 2u);
  EXPECT_EQ(number(barriers[0]->getArgOperand(0)), 1u);
  EXPECT_EQ(number(barriers[1]->getArgOperand(0)), 2u);
  EXPECT_EQ(e.spawn().outline.supersteps.size(), 3u);
  EXPECT_EQ(e.spawn().steps.size(), 3u);
}

TEST(IrgenSpawn, TheRankIsOfTheNumberingAlsoInLaterSupersteps) {
  Emitted e(spawnOf("p[thread.rank] = thread.rank; barrier; p[thread.rank] = thread.size;"));
  auto ranks = callsOf(e.kernel(), Op::Rank);
  ASSERT_EQ(ranks.size(), 2u);
  EXPECT_EQ(ranks[0]->getArgOperand(0), callsOf(e.kernel(), Op::Enter)[0]);
  EXPECT_EQ(ranks[1]->getArgOperand(0), callsOf(e.kernel(), Op::Enter)[0]);
}

TEST(IrgenSpawn, RanksAreAsWideAsTheSize) {
  Emitted narrow(spawnOf("p[thread.rank] = 1;"));
  EXPECT_EQ(narrow.spawn().outline.rank_bits, 32u);
  Emitted wide("void test(device int* p, long n) { spawn(n) { p[thread.rank] = 1; } }");
  EXPECT_EQ(wide.spawn().outline.rank_bits, 64u);
  EXPECT_TRUE(callsOf(wide.kernel(), Op::Rank)[0]->getType()->isIntegerTy(64));
}

TEST(IrgenSpawn, AParameterIsAskedForOncePerVersion) {
  Emitted e(spawnOf("p[thread.rank] = n + n; barrier; require n = n * 2; p[thread.rank] += n;"));
  std::vector<CallInst*> of_n;
  for (CallInst* param : callsOf(e.kernel(), Op::Param))
    if (ir::sourceName(*param) == "n")
      of_n.push_back(param);
  ASSERT_EQ(of_n.size(), 2u);
  EXPECT_EQ(of_n[0]->getArgOperand(1), callsOf(e.kernel(), Op::Enter)[0]);
  EXPECT_EQ(of_n[1]->getArgOperand(1), callsOf(e.kernel(), Op::Require)[0]);
  std::vector<std::string> names;
  for (const plan::FrameSlot& slot : e.spawn().outline.slots)
    names.push_back(slot.name);
  EXPECT_EQ(names, (std::vector<std::string>{"p", "n", "n@2"}));
  EXPECT_EQ(e.spawn().outline.requires_, std::vector<std::string>{"test.require.0"});
  EXPECT_EQ(e.spawn().steps[1].requires_, std::vector<uint32_t>{0});
}

TEST(IrgenSpawn, OnlyThePartsThatAreReadBecomeParameters) {
  Emitted e("struct S { float3 v; int k[4]; bool b; };\n"
            "void test(device float* f, S s) { spawn(4) { f[0] = s.v.y + s.k[2] + (s.b ? 1 : 2); } }");
  std::vector<std::string> names;
  for (const plan::FrameSlot& slot : e.spawn().outline.slots)
    names.push_back(slot.name);
  EXPECT_EQ(names.size(), 4u);
  for (const char* name : {"f", "s.v.y", "s.k[2]", "s.b"})
    EXPECT_NE(std::find(names.begin(), names.end(), name), names.end()) << name;
}

TEST(IrgenSpawn, AHostArrayIndexedAtRunTimeIsCopiedInEachSuperstep) {
  Emitted e("void test(device int* p) { int a[3] = { 1, 2, 3 }; "
            "spawn(4) { p[thread.rank] = a[thread.rank % 3]; barrier; p[thread.rank] += a[p[0]]; } }");
  EXPECT_EQ(callsOf(e.kernel(), Op::Param).size(), 4u); // p and three elements
  size_t copies = countWhere(e.kernel(), [](llvm::Instruction& i) {
    auto* alloca = llvm::dyn_cast<llvm::AllocaInst>(&i);
    return alloca && alloca->getAllocatedType()->isArrayTy();
  });
  EXPECT_EQ(copies, 2u);
}

TEST(IrgenSpawn, ADListIsItsDataAndItsCount) {
  Emitted e("void test(dlist(int) l) { spawn(4) { l[thread.rank] = (int)l.n; } }");
  std::vector<std::string> names;
  for (const plan::FrameSlot& slot : e.spawn().outline.slots)
    names.push_back(slot.name);
  std::sort(names.begin(), names.end());
  EXPECT_EQ(names, (std::vector<std::string>{"l.data", "l.n"}));
}

// ---- communication
TEST(IrgenGet, ReadsASnapshotOfTheLastBarrier) {
  Emitted e(spawnOf("x = p[thread.rank]; barrier; x = 5; p[0] = thread.get(1, x) + thread.get(2, x);"));
  auto snapshots = callsOf(e.kernel(), Op::Snapshot), gets = callsOf(e.kernel(), Op::Get);
  ASSERT_EQ(snapshots.size(), 1u);
  ASSERT_EQ(gets.size(), 2u);
  EXPECT_EQ(gets[0]->getArgOperand(1), snapshots[0]);
  EXPECT_EQ(snapshots[0]->getNextNode(), callsOf(e.kernel(), Op::Barrier)[0]);
}

TEST(IrgenGet, TakesStructsScalarByScalar) {
  Emitted e(spawnOf("S s; s.v = float2(1.0f, f[0]); s.b = true; barrier; S t = thread.get(1, s); f[1] = t.v.x + t.b;",
                    "struct S { float2 v; bool b; };"));
  EXPECT_EQ(callsOf(e.kernel(), Op::Snapshot).size(), 3u);
  EXPECT_EQ(callsOf(e.kernel(), Op::Get).size(), 3u);
  EXPECT_TRUE(callsOf(e.kernel(), Op::Snapshot)[2]->getArgOperand(0)->getType()->isIntegerTy(8)); // bool is a byte
}

TEST(IrgenPut, LandsAfterTheBarrier) {
  Emitted e(spawnOf("float2 x = float2(0.0f, 0.0f); if (thread.rank > 2) thread.put(0, x, float2(1.0f, 2.0f)); "
                    "barrier; f[0] = x.x + x.y;"));
  EXPECT_EQ(callsOf(e.kernel(), Op::PutMark).size(), 1u);
  EXPECT_EQ(callsOf(e.kernel(), Op::Put).size(), 2u);
  ASSERT_EQ(callsOf(e.kernel(), Op::PutLanded).size(), 1u);
  EXPECT_EQ(callsOf(e.kernel(), Op::PutValue).size(), 2u);
  EXPECT_EQ(callsOf(e.kernel(), Op::PutLanded)[0]->getPrevNode(), callsOf(e.kernel(), Op::Barrier)[0]);
}

TEST(IrgenPut, InTheLastSuperstepNobodySeesIt) {
  Emitted e(spawnOf("x = 1; thread.put(0, x, 2);"));
  EXPECT_TRUE(callsOf(e.kernel(), Op::PutMark).empty());
}

TEST(IrgenPut, SettlesInASuperstepOfItsOwnBeforeAGetOfTheSameVariable) {
  Emitted e(spawnOf("x = 1; thread.put(2, x, 3); barrier(RANK_REASSIGNED); thread.oldrank = thread.rank; "
                    "p[thread.rank] = thread.get(2, x);"));
  EXPECT_EQ(e.spawn().outline.supersteps.size(), 3u);
  EXPECT_EQ(e.spawn().steps.size(), 3u);
  EXPECT_FALSE(e.spawn().outline.supersteps[1].reassigned);
  EXPECT_TRUE(e.spawn().outline.supersteps[2].reassigned);
  ASSERT_EQ(callsOf(e.kernel(), Op::PutLanded).size(), 1u);
  EXPECT_EQ(callsOf(e.kernel(), Op::PutLanded)[0]->getArgOperand(0), callsOf(e.kernel(), Op::Barrier)[0]);
  EXPECT_EQ(number(callsOf(e.kernel(), Op::Reassign)[0]->getArgOperand(0)), 2u);
}

TEST(IrgenOldRank, IsCalledOnceWhereEveryPathHasSetIt) {
  Emitted e(spawnOf("x = p[thread.rank]; barrier(RANK_REASSIGNED); "
                    "int from = thread.rank + 1; if (from > 4) from = 0; thread.oldrank = from; p[thread.rank] = x;"));
  auto calls = callsOf(e.kernel(), Op::OldRank);
  ASSERT_EQ(calls.size(), 1u);
  EXPECT_EQ(callsOf(e.kernel(), Op::Reassign).size(), 1u);
  EXPECT_TRUE(e.spawn().outline.supersteps[1].reassigned);
}

TEST(IrgenOldRank, PutsLandAfterIt) {
  Emitted e(spawnOf(
      "x = 1; thread.put(2, x, 3); barrier(RANK_REASSIGNED); thread.oldrank = thread.rank; p[thread.rank] = x;"));
  ASSERT_EQ(callsOf(e.kernel(), Op::PutLanded).size(), 1u);
  EXPECT_EQ(callsOf(e.kernel(), Op::PutLanded)[0]->getPrevNode(), callsOf(e.kernel(), Op::OldRank)[0]);
}

// ---- the host's part
TEST(IrgenLaunch, TheSizeAndTheSlotsAreFilledBeforeTheRun) {
  Emitted e(spawnOf("p[thread.rank] = n;"));
  llvm::Function* host = e.function("test.host");
  ASSERT_TRUE(host);
  auto runs = callsTo(*host, "bsgp_rt_run");
  ASSERT_EQ(runs.size(), 1u);
  auto* frame = llvm::cast<llvm::AllocaInst>(runs[0]->getArgOperand(2));
  uint64_t bytes = llvm::cast<llvm::ArrayType>(frame->getAllocatedType())->getNumElements();
  const plan::Outline& outline = e.spawn().outline;
  EXPECT_EQ(outline.size_offset % 8, 0u);
  EXPECT_LE(outline.size_offset + 8, bytes);
  for (const plan::FrameSlot& slot : outline.slots) {
    EXPECT_EQ(slot.offset % slot.bytes, 0u) << slot.name;
    EXPECT_LE(slot.offset + slot.bytes, bytes) << slot.name;
  }
  EXPECT_EQ(runs[0]->getArgOperand(1)->getName(), outline.symbol);
  EXPECT_EQ(outline.name, "test:2");
}

TEST(IrgenLaunch, ARequireThatSetsTheThreadCountWritesItBack) {
  Emitted e(spawnOf("x = 1; barrier(RANK_REASSIGNED); require thread.size = thread.size / 2; thread.oldrank = "
                    "thread.rank; p[0] = x;"));
  llvm::Function* require = e.function(e.spawn().outline.requires_.at(0));
  ASSERT_TRUE(require);
  EXPECT_EQ(countOpcode(*require, llvm::Instruction::SExt), 1u);
}

} // namespace
} // namespace bsgp::test
