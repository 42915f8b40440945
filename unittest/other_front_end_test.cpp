// A front end for another language, through the entry that is meant for those: a tree without text of ours.
#include <gtest/gtest.h>

#include "bsgp/bsgp.h"
#include "compile/session.h"

namespace bsgp::other_front_end {

using ast::BinaryOp;
using ast::Expr;
using ast::Stmt;
using ast::TypeExpr;

namespace {

// The toy's language is two words. "NAME OPERATOR": doubles all of an array, returns what OPERATOR makes of it. Nodes
// of the operator stand at the second word.
ast::Program* toyTree(ast::Builder& b, SourcePos text, const std::string& name, const std::string& op) {
  SourceRange at{text, text + uint32_t(name.size())};
  SourceRange second{at.end + 1, at.end + 1 + uint32_t(op.size())};
  auto place = [&] { return b.index(b.name("p", at), b.thread("rank", at), at); };
  Expr* doubled = b.assign(place(), b.binary(BinaryOp::Mul, b.integer(2, at), place(), at), at);
  Expr* sum =
      b.call("reduce", {op == "sum" ? b.operatorOf(BinaryOp::Add, second) : b.name(op, second), place()}, second);
  Stmt* body = b.block({b.expression(doubled), b.expression(b.assign(b.name("x", at), sum, at))}, at);
  Stmt* all = b.block({b.declare(b.named("i32", at), "x", b.integer(0, at), at), b.spawn(b.name("n", at), body, at),
                       b.giveBack(b.name("x", at), at)},
                      at);
  ast::Function* made = b.function(b.named("i32", at), name,
                                   {b.parameter(b.pointer(b.named("i32", at), at, ast::Space::Device), "p", at),
                                    b.parameter(b.named("i32", at), "n", at)},
                                   all, at);
  made->is_export = true;
  return b.program({made});
}

compile::Tree toy(const std::string& name, const std::string& op) {
  return {.texts = {{"toy", name + " " + op + "\n"}},
          .make = [=](compile::TreeMaker& maker) { return toyTree(maker.nodes, maker.texts[0], name, op); }};
}

compile::Session& session() {
  static compile::Session all;
  return all;
}

template <class F> F function(target::Jit& jit, const char* name) {
  auto found = jit.lookup(name);
  EXPECT_TRUE(found) << found.message();
  return reinterpret_cast<F>(*found);
}

// A builder whose nodes all stand at the first letter of the text.
struct Nodes {
  ast::Builder& b;
  SourceRange at;

  Expr* num(uint64_t value) { return b.integer(value, at); }
  Expr* var(const char* name) { return b.name(name, at); }
  Expr* plus(Expr* x, Expr* y) { return b.binary(BinaryOp::Add, x, y, at); }
  Expr* less(Expr* x, Expr* y) { return b.binary(BinaryOp::Lt, x, y, at); }
  Stmt* add(const char* to, Expr* value) { return b.expression(b.update(BinaryOp::Add, var(to), value, at)); }
  Stmt* set(Expr* to, Expr* value) { return b.expression(b.assign(to, value, at)); }
  Stmt* let(const char* name, Expr* value) { return b.declare(b.automatic(at), name, value, at); }
  TypeExpr* type(const char* name = "i32") { return b.named(name, at); }
  Stmt* all(const std::vector<Stmt*>& statements) { return b.block(statements, at); }
  // for (int name = 0; name < rounds; name += 1)
  Stmt* rounds(const char* name, uint64_t count, const std::vector<Stmt*>& body) {
    return b.loop(b.declare(type(), name, num(0), at), less(var(name), num(count)),
                  b.update(BinaryOp::Add, var(name), num(1), at), all(body), at);
  }
  // export int run() { int x = 0; ... return x; }
  ast::TopLevel run(std::vector<Stmt*> body) {
    body.insert(body.begin(), b.declare(type(), "x", num(0), at));
    body.push_back(b.giveBack(var("x"), at));
    ast::Function* made = b.function(type(), "run", {}, all(body), at);
    made->is_export = true;
    return b.item(made);
  }
};

using Make = std::function<ast::Program*(Nodes)>;

compile::Tree tree(const Make& make) {
  return {.texts = {{"toy", "x\n"}},
          .make = [=](compile::TreeMaker& maker) { return make({maker.nodes, {maker.texts[0], maker.texts[0] + 1}}); }};
}

std::unique_ptr<compile::Pipeline> begin(const Make& make) {
  return session().begin(tree(make), {});
}

// What `run` of the program gives.
int32_t resultOf(const Make& make) {
  auto made = session().compile(tree(make), {});
  EXPECT_TRUE(made) << made.message();
  int32_t result = -1;
  if (!made || !made->good()) {
    ADD_FAILURE() << (made ? made->errors.plain : made.message());
    return result;
  }
  auto jit = compile::load(*made->code, {});
  EXPECT_TRUE(jit) << jit.message();
  bsgp_status status = function<bsgp_status (*)(bsgp_context*, int32_t*)>(**jit, "run")(nullptr, &result);
  EXPECT_EQ(status, BSGP_OK) << bsgp_error_message();
  return result;
}

// What is said of the tree whose run has this body.
std::string malformed(const std::function<std::vector<Stmt*>(Nodes)>& body) {
  auto pipeline = begin([&](Nodes n) { return n.b.program({n.run(body(n))}); });
  EXPECT_FALSE(pipeline->parse());
  return pipeline->malformed() + pipeline->diagnostics().render();
}

} // namespace

TEST(OtherFrontEnd, ATreeCompilesAndRuns) {
  auto made = session().compile(toy("doubled", "sum"), {});
  ASSERT_TRUE(made && made->good());
  auto jit = compile::load(*made->code, {});
  ASSERT_TRUE(jit) << jit.message();
  std::vector<int32_t> numbers(1000, 3);
  int32_t result = 0;
  auto* doubled = function<bsgp_status (*)(bsgp_context*, int32_t*, int32_t, int32_t*)>(**jit, "doubled");
  ASSERT_EQ(doubled(nullptr, numbers.data(), 1000, &result), BSGP_OK) << bsgp_error_message();
  EXPECT_EQ(result, 6000);
  EXPECT_EQ(numbers[999], 6);
}

TEST(OtherFrontEnd, AMistakeIsToldAtItsPlace) {
  auto made = session().compile(toy("doubled", "unheard_of"), {});
  ASSERT_TRUE(made && !made->good());
  std::string said = made->errors.plain;
  EXPECT_NE(said.find("toy:1:9: error"), std::string::npos) << said;
  EXPECT_NE(said.find("'unheard_of'"), std::string::npos) << said;
}

TEST(OtherFrontEnd, TreesOfAnyDepthAreCut) {
  auto pipeline = begin([](Nodes n) {
    ast::Builder& b = n.b;
    SourceRange at = n.at;
    ast::Expr* e = b.integer(1, at);
    for (int i = 0; i < 100'000; ++i)
      e = b.unary(ast::UnaryOp::Neg, e, at);
    return b.program({b.function(b.named("i32", at), "f", {}, b.block({b.giveBack(e, at)}, at), at)});
  });
  EXPECT_FALSE(pipeline->parse());
  EXPECT_NE(pipeline->diagnostics().render().find("levels deep"), std::string::npos);
}

TEST(OtherFrontEnd, LoopsAndSwitchesAreMade) {
  EXPECT_EQ(resultOf([](Nodes n) {
              ast::Builder& b = n.b;
              Stmt* leave = b.branch(n.less(n.num(3), n.var("i")), b.leave(n.at), nullptr, n.at);
              Stmt* skip = b.branch(b.binary(BinaryOp::Eq, n.var("i"), n.num(1), n.at), b.next(n.at), nullptr, n.at);
              Stmt* cases = b.switchOn(n.var("i"),
                                       {b.caseOf(n.num(2), n.at), n.add("x", n.num(10)), b.leave(n.at),
                                        b.otherwise(n.at), n.add("x", n.num(100))},
                                       n.at);
              Stmt* again = b.wavefront(b.doWhile(n.add("x", n.num(1)), n.less(n.var("x"), n.num(1000)), n.at));
              Stmt* written_out = b.unrolled(n.rounds("k", 4, {n.add("x", n.var("k"))}));
              return b.program({n.run({n.rounds("i", 9, {leave, skip, cases}), again, written_out})});
            }),
            1006);
}

TEST(OtherFrontEnd, VariablesOfEveryKindAreMade) {
  EXPECT_EQ(resultOf([](Nodes n) {
              ast::Builder& b = n.b;
              auto two = [&] { return b.constant(b.array(n.type(), nullptr, n.at)); };
              ast::Global* table = b.global(two(), "table", b.values({n.num(5), n.num(7)}, n.at), n.at);
              table->is_const = table->decl.type->inner->is_const = true;
              ast::Enum* names = b.enumeration(
                  "Color", {b.enumerator("red", n.num(20), n.at), b.enumerator("blue", nullptr, n.at)}, n.at);
              ast::Typedef* alias = b.alias(n.type("i64"), "Wide", n.at);
              return b.program(
                  {b.item(table), b.item(names), b.item(alias),
                   n.run({b.reference(n.type(), "r", n.var("x"), n.at), n.add("r", n.var("blue")),
                          n.add("x", b.index(n.var("table"), n.num(1), n.at)),
                          b.declare(b.constant(n.type("Wide")), "w", n.num(100), n.at),
                          n.add("x", b.cast(n.type(), n.var("w"), n.at)), n.add("x", b.sizeOf(n.type("Wide"), n.at)),
                          b.declare(n.type("f32x3"), "v",
                                    b.construct(n.type("f32x3"), {n.num(1), n.num(2), n.num(3)}, n.at), n.at),
                          n.add("x", b.cast(n.type(), b.member(n.var("v"), "z", n.at), n.at))})});
            }),
            21 + 7 + 100 + 8 + 3);
}

TEST(OtherFrontEnd, GenericStructsWithFunctionsAreMade) {
  EXPECT_EQ(resultOf([](Nodes n) {
              ast::Builder& b = n.b;
              ast::Struct* stack = b.structure(
                  "Stack", {b.field(b.array(n.type("T"), n.var("N"), n.at), "at", n.at), b.field(n.type(), "n", n.at)},
                  n.at, {b.typeParameter("T", n.at), b.typeParameter("N", n.at, true)});
              auto field = [&](const char* name) { return b.member(n.var("this"), name, n.at); };
              ast::Function* push = b.method(*stack, nullptr, "push", {b.parameter(n.type("T"), "x", n.at)},
                                             n.all({n.set(b.index(field("at"), field("n"), n.at), n.var("x")),
                                                    b.expression(b.update(BinaryOp::Add, field("n"), n.num(1), n.at))}),
                                             n.at);
              ast::Function* size =
                  b.method(*stack, n.type(), "size", {}, n.all({b.giveBack(field("n"), n.at)}), n.at, true);
              TypeExpr* of_eight = b.generic("Stack", {n.type(), b.number(n.num(8), n.at)}, n.at);
              auto call = [&](const char* name, const std::vector<Expr*>& arguments) {
                return b.call(b.member(n.var("s"), name, n.at), arguments, n.at);
              };
              return b.program(
                  {b.item(stack), b.item(push), b.item(size),
                   n.run({b.declare(of_eight, "s", b.values({}, n.at), n.at), b.expression(call("push", {n.num(40)})),
                          b.expression(call("push", {n.num(2)})), n.add("x", call("size", {})),
                          n.add("x", b.index(b.member(n.var("s"), "at", n.at), n.num(0), n.at))})});
            }),
            42);
}

TEST(OtherFrontEnd, LambdasAndOperatorsWithAnIdentityAreMade) {
  EXPECT_EQ(resultOf([](Nodes n) {
              ast::Builder& b = n.b;
              auto rank = [&] { return b.thread("rank", n.at); };
              ast::Function* larger = b.function(
                  n.type(), "larger", {b.parameter(n.type(), "a", n.at), b.parameter(n.type(), "b", n.at)},
                  n.all({b.giveBack(b.choose(n.less(n.var("a"), n.var("b")), n.var("b"), n.var("a"), n.at), n.at)}),
                  n.at);
              larger->is_inline = true;
              std::vector<ast::TopLevel> items{b.item(larger)};
              for (ast::Function* clause : b.identity(*larger, n.num(0), true, n.at))
                items.push_back(b.item(clause));
              ast::Function* twice =
                  b.function(b.automatic(n.at), "twice",
                             {b.parameter(b.open(n.at), "f", n.at), b.parameter(b.open(n.at), "v", n.at)},
                             n.all({b.giveBack(b.call("f", {b.call("f", {n.var("v")}, n.at)}, n.at), n.at)}), n.at);
              twice->is_inline = true;
              items.push_back(b.item(twice));
              Expr* more = b.lambda({b.parameter(b.open(n.at), "v", n.at)},
                                    n.all({b.giveBack(n.plus(n.var("v"), n.var("by")), n.at)}), {"by"}, n.at);
              Stmt* body = n.all({n.let("y", b.call("twice", {more, rank()}, n.at)),
                                  n.set(n.var("x"), b.call("reduce", {n.var("larger"), n.var("y")}, n.at))});
              items.push_back(n.run({n.let("by", n.num(3)), b.spawn(n.num(100), body, n.at)}));
              return b.program(items);
            }),
            99 + 6);
}

TEST(OtherFrontEnd, SpawnsHaveBlocksWidthsAndExtents) {
  EXPECT_EQ(resultOf([](Nodes n) {
              ast::Builder& b = n.b;
              auto block_rank = [&] { return b.block("rank", n.at); };
              Stmt* body =
                  n.all({b.shared(b.array(n.type(), n.num(32), n.at), "s", n.at),
                         n.set(b.index(n.var("s"), block_rank(), n.at), block_rank()),
                         b.expression(b.call(b.block("sync", n.at), {}, n.at)),
                         n.let("y", b.index(n.var("s"), n.num(31), n.at)),
                         n.set(n.var("x"), b.call("reduce", {b.operatorOf(BinaryOp::Add, n.at), n.var("y")}, n.at))});
              return b.program({n.run({b.spawn({n.num(8), n.num(8)}, body, n.at, n.num(32), n.num(4))})});
            }),
            64 * 31);
}

TEST(OtherFrontEnd, ATreeWithoutAPartIsRefused) {
  auto says = [](const char* what, const std::function<std::vector<Stmt*>(Nodes)>& body) {
    EXPECT_EQ(malformed(body), what);
  };
  says("toy:1:1: Expr::Binary has no b", [](Nodes n) { return std::vector{n.add("x", n.plus(n.num(1), nullptr))}; });
  says("toy:1:1: Expr::Call has no a",
       [](Nodes n) { return std::vector{n.add("x", n.b.call(static_cast<Expr*>(nullptr), {}, n.at))}; });
  says("toy:1:1: Expr::Call has no argument where one stands",
       [](Nodes n) { return std::vector{n.add("x", n.b.call("f", {nullptr}, n.at))}; });
  says("toy:1:1: Expr::Name has no name", [](Nodes n) { return std::vector{n.add("", n.num(1))}; });
  says("toy:1:1: Stmt::If has no body",
       [](Nodes n) { return std::vector{n.b.branch(n.num(1), nullptr, nullptr, n.at)}; });
  says("toy:1:1: Stmt::Spawn has no expr",
       [](Nodes n) { return std::vector{n.b.spawn(std::vector<Expr*>{}, n.all({}), n.at)}; });
  says("toy:1:1: Stmt::Block has no statement where one stands", [](Nodes) { return std::vector<Stmt*>{nullptr}; });
  says("toy:1:1: a variable has no type",
       [](Nodes n) { return std::vector{n.b.declare(nullptr, "y", nullptr, n.at)}; });
  says("toy:1:1: TypeExpr::Pointer has no inner",
       [](Nodes n) { return std::vector{n.b.declare(n.b.pointer(nullptr, n.at), "y", nullptr, n.at)}; });
  says("toy:1:1: Stmt::Switch has a body that is no Block", [](Nodes n) {
    Stmt* made = n.b.stmt(Stmt::Switch, n.at);
    made->expr = n.num(1), made->body = n.b.leave(n.at);
    return std::vector{made};
  });
  says("toy:1:1: Expr::Lambda names no function of the program", [](Nodes n) {
    Expr* made = n.b.expr(Expr::Lambda, n.at);
    made->name = "unheard of";
    return std::vector{n.add("x", n.b.call("f", {made}, n.at))};
  });
}

TEST(OtherFrontEnd, NodesStandOnceAndInTheText) {
  EXPECT_EQ(malformed([](Nodes n) {
              Expr* one = n.num(1);
              return std::vector{n.add("x", n.plus(one, one))};
            }),
            "toy:1:1: a node stands in it twice");
  EXPECT_EQ(malformed([](Nodes n) {
              Expr* round = n.b.unary(ast::UnaryOp::Neg, nullptr, n.at);
              round->a = round;
              return std::vector{n.add("x", round)};
            }),
            "toy:1:1: a node stands in it twice");
  for (SourceRange wrong : {SourceRange{}, SourceRange{2, 100}, SourceRange{4000000000, 4000000001}})
    EXPECT_EQ(malformed([&](Nodes n) { return std::vector{n.add("x", n.b.integer(1, wrong))}; }),
              "toy: Expr::IntLit has no place in the text");
}

TEST(OtherFrontEnd, LibrariesAreNamed) {
  auto pipeline = begin([](Nodes n) {
    return n.b.program(
        {ast::Builder::library(n.b.string("z", n.at)), n.run({}), ast::Builder::library(n.b.string("z", n.at))});
  });
  ASSERT_TRUE(pipeline->all()) << pipeline->malformed() << pipeline->diagnostics().render();
  EXPECT_EQ(pipeline->flat().program->libraries, std::vector<std::string>{"z"});
  auto number = begin([](Nodes n) { return n.b.program({ast::Builder::library(n.num(1))}); });
  EXPECT_FALSE(number->parse());
  EXPECT_EQ(number->malformed(), "toy:1:1: the name of a library is no StringLit");
}

TEST(OtherFrontEnd, NoTreeIsToldOf) {
  auto nothing = session().compile(tree([](Nodes) -> ast::Program* { return nullptr; }), {});
  ASSERT_FALSE(nothing);
  EXPECT_EQ(nothing.message(),
            "the front end made no tree of the language: there is no tree, and no error was reported");
  auto empty = begin([](Nodes n) { return n.b.program(std::vector<ast::TopLevel>{{}}); });
  EXPECT_FALSE(empty->parse());
  EXPECT_EQ(empty->malformed(), "toy: a part of the program is null");
}

TEST(OtherFrontEnd, MistakesThatProgramsHaveAreReported) {
  EXPECT_NE(malformed([](Nodes n) { return std::vector{n.b.otherwise(n.at)}; }).find("[case_outside_switch]"),
            std::string::npos);
  auto pipeline = begin([](Nodes n) {
    auto parameter = [&] { return n.b.parameter(n.type(), "a", n.at); };
    return n.b.program({n.b.item(n.b.structure("i32", {}, n.at)),
                        n.b.item(n.b.function(nullptr, "f", {parameter(), parameter()}, n.all({}), n.at))});
  });
  EXPECT_FALSE(pipeline->parse());
  std::string said = pipeline->diagnostics().render();
  EXPECT_NE(said.find("[builtin_type_name]"), std::string::npos) << said;
  EXPECT_NE(said.find("'a' is declared twice"), std::string::npos) << said;
}

} // namespace bsgp::other_front_end
