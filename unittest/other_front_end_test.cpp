// A front end for another language, through the entry that is meant for those: a tree without text of ours.
#include <gtest/gtest.h>

#include "bsgp/bsgp.h"
#include "driver/pipeline.h"
#include "runtime/symbols.h"
#include "target/cpu/cpu_target.h"

namespace bsgp {

namespace {

using ast::BinaryOp;
using ast::Expr;

// The toy's language is two words. "NAME OPERATOR": doubles all of an array, returns what OPERATOR makes of it. Nodes
// of the operator stand at the second word.
ast::Program* toyTree(ast::Builder& b, SourcePos text, const std::string& name, const std::string& op) {
  SourceRange at{text, text + uint32_t(name.size())};
  SourceRange second{at.end + 1, at.end + 1 + uint32_t(op.size())};
  auto place = [&] { return b.index(b.name("p", at), b.thread("rank", at), at); };
  Expr* doubled = b.assign(place(), b.binary(BinaryOp::Mul, b.integer(2, at), place(), at), at);
  Expr* sum =
      b.call("reduce", {op == "sum" ? b.operatorOf(BinaryOp::Add, second) : b.name(op, second), place()}, second);
  ast::Stmt* body = b.block({b.expression(doubled), b.expression(b.assign(b.name("x", at), sum, at))}, at);
  ast::Stmt* all = b.block({b.declare(b.named("i32", at), "x", b.integer(0, at), at),
                            b.spawn(b.name("n", at), body, at), b.giveBack(b.name("x", at), at)},
                           at);
  ast::Function* made = b.function(b.named("i32", at), name,
                                   {b.parameter(b.pointer(b.named("i32", at), at, ast::Space::Device), "p", at),
                                    b.parameter(b.named("i32", at), "n", at)},
                                   all, at);
  made->is_export = true;
  return b.program({made});
}

bool useToy(driver::Pipeline& pipeline, const std::string& name, const std::string& op) {
  return pipeline.useTree("toy", name + " " + op + "\n", [&](ast::Builder& b, SourcePos text) {
    return toyTree(b, text, name, op);
  }) && pipeline.afterParse();
}

} // namespace

TEST(OtherFrontEnd, ATreeCompilesAndRuns) {
  driver::Pipeline pipeline({});
  ASSERT_TRUE(useToy(pipeline, "doubled", "sum")) << pipeline.diagnostics().render();
  target::CpuOptions machine;
  for (const runtime::Symbol& symbol : runtime::symbols())
    machine.symbols.emplace_back(symbol.name, symbol.address);
  target::lowerKernels(pipeline.kernels(), machine);
  auto objects = target::compileObjects(pipeline.kernels(), machine);
  ASSERT_TRUE(objects) << objects.message();
  auto jit = target::Jit::link(*objects, machine);
  ASSERT_TRUE(jit) << jit.message();
  auto doubled = (*jit)->lookup("doubled");
  ASSERT_TRUE(doubled) << doubled.message();
  std::vector<int32_t> numbers(1000, 3);
  int32_t result = 0;
  auto* function = reinterpret_cast<bsgp_status (*)(bsgp_context*, int32_t*, int32_t, int32_t*)>(*doubled);
  ASSERT_EQ(function(nullptr, numbers.data(), 1000, &result), BSGP_OK) << bsgp_error_message();
  EXPECT_EQ(result, 6000);
  EXPECT_EQ(numbers[999], 6);
}

TEST(OtherFrontEnd, AMistakeIsToldAtItsPlace) {
  driver::Pipeline pipeline({});
  EXPECT_FALSE(useToy(pipeline, "doubled", "unheard_of"));
  std::string said = pipeline.diagnostics().render();
  EXPECT_NE(said.find("toy:1:9: error"), std::string::npos) << said;
  EXPECT_NE(said.find("'unheard_of'"), std::string::npos) << said;
}

TEST(OtherFrontEnd, TreesOfAnyDepthAreCut) {
  driver::Pipeline pipeline({});
  auto deep = [](ast::Builder& b, SourcePos text) {
    SourceRange at{text, text + 1};
    ast::Expr* e = b.integer(1, at);
    for (int i = 0; i < 100'000; ++i)
      e = b.unary(ast::UnaryOp::Neg, e, at);
    return b.program({b.function(b.named("i32", at), "f", {}, b.block({b.giveBack(e, at)}, at), at)});
  };
  EXPECT_FALSE(pipeline.useTree("toy", "x\n", deep));
  EXPECT_NE(pipeline.diagnostics().render().find("levels deep"), std::string::npos);
}

} // namespace bsgp
