// links: sema parse lex diag support
// One broken typed program for each rule.
#include "sema/verify.h"

#include <functional>

#include <gtest/gtest.h>

#include "parse/parse.h"
#include "sema/sema.h"
#include "sema/visit.h"

namespace bsgp {

namespace {

const char* kText = R"(
struct Pair { int first; float second; };
float scaled(float x, int by) { return x * by; }
export float test(device float* p, int n) {
  Pair q = {n, 2.0f};
  float4 v = float4(1, 2, 3, 4);
  bool more = n > 3 && !(q.first == 4);
  q.first = more ? n : -n;
  q.second += v.x;
  spawn (n) {
    int r = thread.rank;
    float x = scaled(p[r], 3);
    barrier;
    thread.put(0, x, 1.0f);
    if (r > 3)
      p[r] = x + thread.get(1, x);
  }
  return q.second;
}
)";

// A typed program, and hands to break it with.
class Typed {
public:
  Typed() : diagnostics(sources) {
    ast::Program* tree = parse(sources, arena, diagnostics, sources.addText("test.bsgp", kText));
    program = sema::analyze(*tree, {}, diagnostics);
    EXPECT_FALSE(diagnostics.hasErrors()) << diagnostics.render();
  }

  Function& function() {
    for (Function* f : program->functions)
      if (f->name == "test")
        return *f;
    std::abort();
  }
  Expr& expr(Expr::Kind kind) {
    Expr* found = nullptr;
    visitExprs(function().body, [&](Expr* e) { return found = found ? found : e->kind == kind ? e : nullptr, true; });
    EXPECT_TRUE(found);
    return *found;
  }
  Stmt& stmt(Stmt::Kind kind) {
    Stmt* found = nullptr;
    visitStmt(function().body, [&](Stmt* s) { return found = found ? found : s->kind == kind ? s : nullptr, true; });
    EXPECT_TRUE(found);
    return *found;
  }

  SourceManager sources;
  Arena arena;
  Diagnostics diagnostics;
  std::unique_ptr<Program> program;
};

std::string broken(const std::function<void(Typed&)>& change) {
  Typed typed;
  change(typed);
  return sema::verify(*typed.program);
}

using Change = std::function<void(Typed&)>;

struct Case {
  const char* rule;
  Change change;
};

TEST(TypedVerify, a_program_of_sema_breaks_no_rule) {
  EXPECT_EQ(broken([](Typed&) {}), "");
}

TEST(TypedVerify, each_rule_is_reported_with_the_function_that_breaks_it) {
  const Case cases[] = {
      {"an expression without a type", [](Typed& t) { t.expr(Expr::Call).type = nullptr; }},
      {"an expression without a type", [](Typed& t) { t.expr(Expr::Call).type = t.program->types.error; }},
      {"an expression with a part missing", [](Typed& t) { t.expr(Expr::Conditional).c = nullptr; }},
      {"a use of no variable", [](Typed& t) { t.expr(Expr::Var).variable = nullptr; }},
      {"a variable of another type", [](Typed& t) { t.expr(Expr::Var).type = t.program->types.f64; }},
      {"operands of two types", [](Typed& t) { std::swap(t.expr(Expr::Binary).b, t.expr(Expr::CompoundAssign).b); }},
      {"a comparison that gives no bool", [](Typed& t) { t.expr(Expr::Binary).type = t.program->types.i32; }},
      {"'&&' or '||' of what is no bool", [](Typed& t) { t.expr(Expr::LogicalAnd).a = t.expr(Expr::Neg).a; }},
      {"'!' of what is no bool", [](Typed& t) { t.expr(Expr::Not).a = t.expr(Expr::Neg).a; }},
      {"a field of what has no such field", [](Typed& t) { t.expr(Expr::Field).index = 2; }},
      {"a field of another type", [](Typed& t) { t.expr(Expr::Field).index = 1; }},
      {"components of another type", [](Typed& t) { t.expr(Expr::Swizzle).type = t.program->types.i32; }},
      {"an index that is no integer", [](Typed& t) { t.expr(Expr::Index).b = t.expr(Expr::Not).a; }},
      {"a choice of two types", [](Typed& t) { t.expr(Expr::Conditional).c = t.expr(Expr::Not).a; }},
      {"an assignment to what is no lvalue", [](Typed& t) { t.expr(Expr::Assign).a = &t.expr(Expr::Neg); }},
      {"an assignment of another type", [](Typed& t) { t.expr(Expr::Assign).b = t.expr(Expr::CompoundAssign).b; }},
      {"a compound assignment that is computed in no type",
       [](Typed& t) { t.expr(Expr::CompoundAssign).compute = nullptr; }},
      {"a call of nothing", [](Typed& t) { t.expr(Expr::Call).function = nullptr; }},
      {"a call with another number of arguments",
       [](Typed& t) { t.expr(Expr::Call).args = t.expr(Expr::Call).args.first(1); }},
      {"an argument of another type",
       [](Typed& t) { std::swap(t.expr(Expr::Call).args[0], t.expr(Expr::Call).args[1]); }},
      {"a call of another type than the function's result",
       [](Typed& t) { t.expr(Expr::Call).type = t.program->types.i32; }},
      {"a thread.get of another type than its place", [](Typed& t) { t.expr(Expr::Get).type = t.program->types.f64; }},
      {"a declaration of nothing", [](Typed& t) { t.stmt(Stmt::Decl).variable = nullptr; }},
      {"a variable that begins with another type", [](Typed& t) { t.stmt(Stmt::Decl).expr = t.expr(Expr::Neg).a; }},
      {"an if without a bool", [](Typed& t) { t.stmt(Stmt::If).expr = t.expr(Expr::Neg).a; }},
      {"a return of another type", [](Typed& t) { t.stmt(Stmt::Return).expr = t.expr(Expr::Neg).a; }},
      {"a thread.put of another type than its place", [](Typed& t) { t.stmt(Stmt::Put).value = t.expr(Expr::Neg).a; }},
      {"a spawn without a size", [](Typed& t) { t.stmt(Stmt::Spawn).expr = t.expr(Expr::Not).a; }},
  };
  for (const Case& each : cases) {
    std::string found = broken(each.change);
    EXPECT_NE(found.find(each.rule), std::string::npos) << each.rule << ": " << found;
    EXPECT_TRUE(found.starts_with("function test: ")) << found;
  }
}

} // namespace

} // namespace bsgp
