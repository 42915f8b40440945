// links: irgen ir expand sema parse lex diag support
// The block level, asserts of the library, unrolling and wavefronts, as irgen emits them.
#include <set>
#include <string>

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Dominators.h>

#include "ir/loop_marks.h"
#include "irgen_program.h"

namespace bsgp::test {
namespace {

// The line that a call of bsgp.assert names.
uint64_t lineOf(const llvm::CallInst& check) {
  auto* site = llvm::cast<llvm::GlobalVariable>(check.getArgOperand(1));
  return number(site->getInitializer()->getAggregateElement(1));
}

std::vector<llvm::GlobalVariable*> sharedVariables(const Emitted& program) {
  std::vector<llvm::GlobalVariable*> found;
  for (llvm::GlobalVariable& global : program.spawns.module->globals())
    if (global.getAddressSpace() == ir::kSharedSpace)
      found.push_back(&global);
  return found;
}

TEST(IrgenBlock, ASharedVariableIsAnotherOneForEachCall) {
  Emitted program(spawnOf("p[thread.rank] = other(1) + other(2); shared int t[8], x;",
                          "int other(int x) { shared int s[]; s[block.rank] = x; block.sync(); return s[0]; }"));
  auto shared = sharedVariables(program);
  ASSERT_EQ(shared.size(), 4u);
  for (llvm::GlobalVariable* variable : shared) {
    EXPECT_TRUE(llvm::isa<llvm::UndefValue>(variable->getInitializer()));
    EXPECT_TRUE(variable->hasInternalLinkage());
    EXPECT_EQ(variable->getAlign()->value(), 64u);
  }
  EXPECT_EQ(shared[0]->getValueType()->getArrayNumElements(), 256u);
  EXPECT_EQ(shared[2]->getValueType()->getArrayNumElements(), 8u);
  EXPECT_EQ(callsOf(program.kernel(), Op::BlockSync).size(), 2u);
}

TEST(IrgenBlock, ItsArithmeticIsOnTheRank) {
  Emitted program(spawnOf("p[thread.rank] = block.rank + block.id + block.limit;"));
  EXPECT_EQ(countOpcode(program.kernel(), llvm::Instruction::URem), 1u);
  EXPECT_EQ(countOpcode(program.kernel(), llvm::Instruction::UDiv), 1u);
  EXPECT_TRUE(callsOf(program.kernel(), Op::Size).empty());
}

TEST(IrgenBlock, WhatTheTargetIsLeavesNoCode) {
  Emitted program(spawnOf("if (target_is_gpu()) p[0] = 1; else if (target_is_cpu()) p[1] = 2; else p[2] = 3;"));
  EXPECT_EQ(countOpcode(program.kernel(), llvm::Instruction::Store), 1u);
}

sema::Options forGpu() {
  sema::Options options;
  options.gpu = true;
  return options;
}

TEST(IrgenTile, ItsNumbersAreCallsOnAGpu) {
  Emitted program(
      spawnOf("if (__tile_rank() < __tile_size()) { block.sync(); p[thread.rank] = (int)__tile_id(); }" /* uniform */),
      {}, {}, forGpu());
  for (Op op : {Op::TileRank, Op::TileSize, Op::TileId})
    ASSERT_EQ(callsOf(program.kernel(), op).size(), 1u) << int(op);
  EXPECT_TRUE(callsOf(program.kernel(), Op::TileRank)[0]->getType()->isIntegerTy(32));
  EXPECT_TRUE(callsOf(program.kernel(), Op::TileSize)[0]->getType()->isIntegerTy(32));
  llvm::CallInst* id = callsOf(program.kernel(), Op::TileId)[0];
  EXPECT_TRUE(id->getType()->isIntegerTy(64));
  EXPECT_EQ(id->arg_size(), 0u);
  EXPECT_FALSE(id->isConvergent());
  EXPECT_TRUE(id->onlyAccessesInaccessibleMemory() && id->onlyReadsMemory());
  EXPECT_FALSE(id->doesNotAccessMemory()); // a barrier, which writes all memory, stops it
}

TEST(IrgenTile, ItsVariablesAreMarked) {
  Emitted program(spawnOf("shared Cell t[3]; shared int x, y[], s; __per_tile(t); __per_tile(x);"
                          "t[1].h = (half)1; x = y[2] = s = 1; __per_tile(y);",
                          "struct Cell { half h; double d; };"),
                  {}, {}, forGpu());
  auto shared = sharedVariables(program);
  ASSERT_EQ(shared.size(), 4u);
  for (size_t i = 0; i < 4; ++i)
    EXPECT_EQ(shared[i]->hasAttribute(ir::kOfTile), i < 3) << i;
  EXPECT_EQ(shared[2]->getValueType()->getArrayNumElements(), 256u);
}

TEST(IrgenAssert, OfTheLibraryNamesTheProgramsCall) {
  const std::vector<LibraryFile> library = {{"checks", "inline low(x) { assert(x < 9); }\ninline lower(x) { low(x); }\n"
                                                       "inline lowAfter(x) { barrier; lower(x); assert(x > 0); }\n"}};
  const Prelude prelude(library);
  ParseOptions options;
  options.prelude = &prelude;
  Emitted program("void test(device int* p, int n) {\n"
                  "  spawn(n) {\n"
                  "    low(thread.rank);\n"
                  "    lower(thread.rank + 1);\n"
                  "    lowAfter(\n"
                  "      thread.rank);\n"
                  "    assert(n > 3);\n"
                  "  }\n"
                  "}\n",
                  {}, options);
  auto checks = callsOf(program.kernel(), Op::Assert);
  ASSERT_EQ(checks.size(), 5u);
  uint64_t lines[] = {3, 4, 5, 5, 7};
  for (size_t i = 0; i < 5; ++i)
    EXPECT_EQ(lineOf(*checks[i]), lines[i]) << i;
}

// The wish stands at every jump back, the same for all of one loop.
TEST(IrgenUnroll, IsSaidWhereTheLoopGoesRound) {
  Emitted program(spawnOf("int s = 0;"
                          "unroll(4) for (int i = 0; i < n; i++) { if (s > 3) continue; s += p[i]; }"
                          "unroll do s--; while (s > 10 || p[s] > 3);"
                          "while (s > 0) s--;"
                          "p[0] = s;"));
  std::set<llvm::MDNode*> loops;
  size_t jumps = 0;
  for (llvm::BasicBlock& block : program.kernel())
    if (llvm::MDNode* loop = block.getTerminator()->getMetadata(llvm::LLVMContext::MD_loop)) {
      loops.insert(loop);
      ++jumps;
      EXPECT_EQ(loop->getOperand(0), loop);
    }
  EXPECT_EQ(loops.size(), 2u);
  EXPECT_EQ(jumps, 3u);
}

// A wavefront is told from the loops around and inside it, also where one block is the latch of two loops' text.
TEST(IrgenWavefronts, MarkTheirOwnLoopAlone) {
  Emitted program(
      spawnOf("int s = 0;"
              "while (s < n) {"
              "  wavefront do { do s++; while (p[s] > 3); if (s == 77) continue; s += p[s]; } while (p[s] > 5);"
              "}"
              "while (s > 0) s--;"
              "p[0] = s;"));
  llvm::DominatorTree dominators(program.kernel());
  llvm::LoopInfo loops(dominators);
  std::multiset<std::string> marks;
  for (llvm::Loop* loop : loops.getLoopsInPreorder())
    marks.insert(std::to_string(loop->getLoopDepth()) + (ir::isWavefront(*loop) ? " wavefront"
                                                         : loop->getLoopID()    ? " beside"
                                                                                : " plain"));
  EXPECT_EQ(marks, (std::multiset<std::string>{"1 beside", "1 plain", "2 wavefront", "3 beside"}));
}

} // namespace
} // namespace bsgp::test
