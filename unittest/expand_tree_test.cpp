// links: expand sema parse lex diag support
// Trees that were made without text or prelude, as the flat program that becomes of them.
#include "parse/parse.h"
#include "sema/program_text.h"
#include "tree_program.h"

namespace bsgp {

namespace {

using test::Tree;
using Op = ast::BinaryOp;

std::string flatText(Tree& t, const std::vector<ast::Function*>& functions) {
  return expand::text(t.flat(functions), t.sources);
}

// test(device i32* p, i32 n) { body }
ast::Function* testOf(Tree& t, const std::vector<ast::Stmt*>& body) {
  return t.function(nullptr, "test", {t.memory("p"), t.parameter("n")}, body);
}

} // namespace

TEST(ExpandTree, BarriersPartSupersteps) {
  Tree t;
  ast::Stmt* spawn =
      t.spawn(t.name("n"), {t.let("x", t.element("p", t.rank())), t.barrier(),
                            t.set(t.element("p", t.rank()), t.binary(Op::Add, t.name("x"), t.number(1)))});
  EXPECT_EQ(flatText(t, {testOf(t, {spawn})}), R"(spawn in test: n threads, rank int, block 256, width 0
  host device int* p
  host int n
  superstep 1
    int x = p[thread.rank]
  superstep 2
    p[thread.rank] = x + 1
)");
}

TEST(ExpandTree, CollectivesAreInlined) {
  Tree t;
  ast::Function* next = t.function(t.integer(), "next", {t.parameter("x")},
                                   {t.let("y", t.binary(Op::Mul, t.name("x"), t.number(2))), t.barrier(),
                                    t.giveBack(t.binary(Op::Add, t.name("y"), t.number(3)))});
  next->is_inline = true;
  ast::Stmt* spawn =
      t.spawn(t.name("n"), {t.let("x", t.rank()), t.let("y", t.call("next", {t.call("next", {t.name("x")})})),
                            t.set(t.element("p", t.rank()), t.name("y"))});
  EXPECT_EQ(flatText(t, {next, testOf(t, {spawn})}), R"(spawn in test: n threads, rank int, block 256, width 0
  host device int* p
  host int n
  superstep 1
    int x = thread.rank
    int x.2 = x  // an argument
    int y = x.2 * 2
  superstep 2
    int next = y + 3  // a call's result
    int x.3 = next  // an argument
    int y.2 = x.3 * 2
  superstep 3
    int next.2 = y.2 + 3  // a call's result
    int y.3 = next.2
    p[thread.rank] = y.3
)");
}

TEST(ExpandTree, RequiresGiveVersions) {
  Tree t;
  ast::Stmt* more = t.set(t.name("m"), t.binary(Op::Add, t.name("m"), t.name("n")));
  ast::Stmt* spawn =
      t.spawn(t.name("n"), {t.let("x", t.name("m")), t.require({more}), t.barrier(),
                            t.set(t.element("p", t.rank()), t.binary(Op::Sub, t.name("x"), t.name("m")))});
  EXPECT_EQ(flatText(t, {testOf(t, {t.let("m", t.number(5)), spawn})}),
            R"(spawn in test: n threads, rank int, block 256, width 0
  host int m
  host int n
  host device int* p
  superstep 1
    require 0
      m = m + n
    int x = m
  superstep 2
    p[thread.rank] = x - m@0
)");
}

TEST(ExpandTree, ArmsOfParStandSideBySide) {
  Tree t;
  auto arm = [&](std::string_view name) {
    return t.block(
        {t.let(name, t.rank()), t.barrier(), t.set(t.name(name), t.binary(Op::Add, t.name(name), t.name("n")))});
  };
  ast::Stmt* par = t.b.par({arm("a"), arm("b")}, Tree::nowhere);
  EXPECT_EQ(flatText(t, {testOf(t, {t.spawn(t.name("n"), {par})})}),
            R"(spawn in test: n threads, rank int, block 256, width 0
  host int n
  superstep 1
    int a = thread.rank
    int b = thread.rank
  superstep 2
    a = a + n
    b = b + n
)");
}

TEST(ExpandTree, CalledFunctionsStandBehind) {
  Tree t;
  ast::Function* sum =
      t.function(t.integer(), "plus", {t.parameter("x")}, {t.giveBack(t.binary(Op::Add, t.name("x"), t.number(1)))});
  ast::Stmt* spawn = t.spawn(t.name("n"), {t.set(t.element("p", t.rank()), t.call("plus", {t.rank()}))});
  EXPECT_EQ(flatText(t, {sum, testOf(t, {spawn})}), R"(spawn in test: n threads, rank int, block 256, width 0
  host device int* p
  host int n
  superstep 1
    p[thread.rank] = plus(thread.rank)
function plus(int x) -> int
  return x + 1
)");
}

TEST(Expand, LeavesTheTypedProgramAsItIs) {
  constexpr const char* kText = R"(
inline int doubled(int x, int d) { int y = x / d; barrier; return y * 2; }
export test(device int* p, int n, int d) {
  int k = n / d, last = 0;
  spawn (n) {
    int x = doubled(p[thread.rank], d);
    require { k = k / d; }
    while (k / d > 0) {
      barrier;
      p[thread.rank] += k + x;
      require k = k / d - 1;
    }
    if (k % d > 2) { require last = k / d; }
    for (int i = 0; i < k / d; ++i)
      require last += i / d;
    switch (k / d) {
    case 1: require last = k; break;
    default: barrier; p[thread.rank] = last;
    }
  }
}
)";
  SourceManager sources;
  Arena arena;
  Diagnostics diagnostics(sources);
  ast::Program* tree = parse(sources, arena, diagnostics, sources.addText("test.bsgp", kText));
  std::unique_ptr<Program> program = sema::analyze(*tree, {}, diagnostics);
  ASSERT_FALSE(diagnostics.hasErrors()) << diagnostics.render();
  std::string before = sema::text(*program, sources);
  FlatProgram flat = expand::expand(std::move(program), {}, diagnostics);
  ASSERT_FALSE(diagnostics.hasErrors()) << diagnostics.render();
  EXPECT_EQ(sema::text(*flat.program, sources), before);
  EXPECT_NE(before.find("while"), std::string::npos);
}

} // namespace bsgp
