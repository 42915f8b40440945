// links: target
// Code made in parts, on several processors, is the code of the module.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <llvm/AsmParser/Parser.h>
#include <llvm/Support/SourceMgr.h>

#include "target/cpu/code/code_parts.h"

namespace bsgp::target {

namespace {

constexpr unsigned kFunctions = 5, kRounds = 1500;

// Internal functions that share a table and a counter, and one that calls them all: each x = 3 x + table[i], often.
std::string moduleText(unsigned rounds) {
  std::string text = "@table = internal constant [5 x i64] [i64 2, i64 3, i64 5, i64 7, i64 11]\n"
                     "@counter = internal global i64 0\n"
                     "@0 = private unnamed_addr constant i64 40\n";
  for (unsigned i = 0; i < kFunctions; ++i) {
    text += fmt::format("define internal i64 @f{0}(i64 %x0) noinline {{\n"
                        "  %p = getelementptr [5 x i64], ptr @table, i64 0, i64 {0}\n  %t = load i64, ptr %p\n"
                        "  %c = load i64, ptr @counter\n  %d = add i64 %c, 1\n  store i64 %d, ptr @counter\n",
                        i);
    for (unsigned round = 0; round < rounds; ++round)
      text += fmt::format("  %y{0} = mul i64 %x{0}, 3\n  %x{1} = add i64 %y{0}, %t\n", round, round + 1);
    text += fmt::format("  ret i64 %x{}\n}}\n", rounds);
  }
  text += "define i64 @all(i64 %x) {\n  %r0 = add i64 %x, 0\n";
  for (unsigned i = 0; i < kFunctions; ++i)
    text += fmt::format("  %r{1} = call i64 @f{0}(i64 %r{0})\n", i, i + 1);
  return text + fmt::format("  %c = load i64, ptr @counter\n  %a = load i64, ptr @0\n  %b = add i64 %a, %c\n"
                            "  %r = add i64 %r{}, %b\n  ret i64 %r\n}}\n",
                            kFunctions);
}

uint64_t expected(uint64_t x) {
  for (uint64_t step : {2, 3, 5, 7, 11})
    for (unsigned round = 0; round < kRounds; ++round)
      x = 3 * x + step;
  return x + 40 + kFunctions;
}

std::vector<std::string> objectsFor(unsigned rounds, unsigned processors) {
  ir::Kernels program;
  program.context = std::make_unique<llvm::LLVMContext>();
  llvm::SMDiagnostic problem;
  program.module = llvm::parseAssemblyString(moduleText(rounds), problem, *program.context);
  EXPECT_TRUE(program.module) << problem.getMessage().str();
  auto objects = compileInParts(program, {}, processors);
  EXPECT_TRUE(objects) << objects.message();
  return objects.take();
}

void check(unsigned processors) {
  std::vector<std::string> objects = objectsFor(kRounds, processors);
  EXPECT_EQ(objects.size(), kFunctions + 1); // a function each
  auto jit = Jit::link(objects, {});
  ASSERT_TRUE(jit) << jit.message();
  auto all = (*jit)->lookup("all");
  ASSERT_TRUE(all) << all.message();
  EXPECT_EQ(reinterpret_cast<uint64_t (*)(uint64_t)>(*all)(17), expected(17));
}

} // namespace

TEST(TargetParts, PartsShareVariablesTablesAndFunctions) {
  check(3);
  check(64);
}

TEST(TargetParts, PartsAreTheSameForAnyNumberOfProcessors) {
  EXPECT_EQ(objectsFor(kRounds, 1), objectsFor(kRounds, 4));
}

TEST(TargetParts, ASmallModuleIsOnePart) {
  EXPECT_EQ(objectsFor(10, 4).size(), 1u);
}

} // namespace bsgp::target
