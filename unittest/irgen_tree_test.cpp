// links: irgen ir expand sema parse lex diag support
// A tree that was made without text or prelude, as the function that irgen makes of its spawn.
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Support/raw_ostream.h>

#include "irgen/irgen.h"
#include "tree_program.h"

namespace bsgp {

namespace {

std::string linesOf(const llvm::Function& function) {
  std::string out;
  llvm::raw_string_ostream stream(out);
  for (const llvm::Instruction& instruction : llvm::instructions(function))
    stream << instruction << "\n";
  return out;
}

// Each of the lines is in the text, behind those before it.
void expectInOrder(const std::string& text, std::initializer_list<const char*> lines) {
  size_t from = 0;
  for (const char* line : lines) {
    size_t at = text.find(line, from);
    ASSERT_NE(at, std::string::npos) << line << "\nis not in\n" << text;
    from = at + 1;
  }
}

} // namespace

TEST(IrgenTree, ASpawnIsOneFunctionWithItsBarriers) {
  test::Tree t;
  using Op = ast::BinaryOp;
  ast::Stmt* more = t.set(t.name("m"), t.binary(Op::Add, t.name("m"), t.name("n")));
  ast::Stmt* spawn =
      t.spawn(t.name("n"), {t.let("x", t.element("p", t.rank())), t.barrier(), t.require({more}),
                            t.set(t.element("p", t.rank()), t.binary(Op::Mul, t.name("x"), t.name("m")))});
  ast::Function* test =
      t.function(nullptr, "test", {t.memory("p"), t.parameter("n")}, {t.let("m", t.number(5)), spawn});
  const FlatProgram& flat = t.flat({test});
  ir::Spawns made = irgen::emitModule(flat, t.sources, {}, t.diagnostics);
  ASSERT_FALSE(t.diagnostics.hasErrors()) << t.diagnostics.render();
  ASSERT_EQ(made.spawns.size(), 1u);
  const auto& spawned = made.spawns.front();
  expectInOrder(linesOf(*spawned.function), {"call i32 @bsgp.enter", "load i32", "@bsgp.barrier", "@bsgp.require",
                                             "mul nsw i32", "store i32", "ret void"});
  EXPECT_EQ(spawned.steps.size(), 2u);
  EXPECT_EQ(spawned.outline.requires_.size(), 1u);
  llvm::Function* require = made.module->getFunction(spawned.outline.requires_.front());
  ASSERT_TRUE(require);
  expectInOrder(linesOf(*require), {"add nsw i32", "store i32", "ret i32"});
}

} // namespace bsgp
