// links: expand sema parse lex diag support
// One broken flat program for each rule.
#include "expand/verify.h"

#include <functional>

#include <gtest/gtest.h>

#include "expand/expand.h"
#include "expand/visit.h"
#include "parse/parse.h"
#include "sema/sema.h"

namespace bsgp {

namespace {

const char* kThreeSupersteps = R"(
int twice(int x) { return x * 2; }
inline int first(int x) {
  require device int* all = dtempnew[thread.size]int;
  all[thread.rank] = x;
  barrier;
  return all[0];
}
test(device int* p, int n) {
  int m = n;
  spawn (n) {
    int x = twice(p[thread.rank]);
    int y = first(x);
    int z = thread.get(0, x);
    require m = m + 1;
    x = y + m;
    thread.put(z, x, 1);
    barrier(RANK_REASSIGNED);
    require thread.size = m;
    thread.oldrank = thread.rank;
    p[thread.rank] = x;
  }
}
)";

// What is taken in each round of a loop.
const char* kRounds = R"(
test(device int* p, int n) {
  spawn (n) {
    for (int i = 0; i < 3; i++) {
      require device int* all = dtempnew[thread.size]int;
      all[thread.rank] = i;
      barrier;
    }
    p[thread.rank] = n;
  }
}
)";

// A flat program, and hands to break it with.
class Flat {
public:
  explicit Flat(const char* text = kThreeSupersteps) : diagnostics(sources) {
    ast::Program* tree = parse(sources, arena, diagnostics, sources.addText("test.bsgp", text));
    program = expand::expand(sema::analyze(*tree, {}, diagnostics), {}, diagnostics);
    EXPECT_FALSE(diagnostics.hasErrors()) << diagnostics.render();
  }

  FlatSpawn& spawn() { return *program.spawns.front(); }
  FlatSuperstep& step(size_t number) { return spawn().supersteps[number - 1]; }
  // The n-th statement of a superstep, from 1; requires not counted.
  Stmt*& stmt(size_t superstep, size_t number) {
    for (FlatItem& item : step(superstep).items)
      if (item.stmt && --number == 0)
        return item.stmt;
    ADD_FAILURE() << "no such statement";
    std::abort();
  }
  Expr* find(Stmt* in, const std::function<bool(Expr*)>& wanted) {
    Expr* found = nullptr;
    visitExprs(in, [&](Expr* e) {
      found = found ? found : wanted(e) ? e : nullptr;
      return true;
    });
    EXPECT_TRUE(found);
    return found;
  }
  Expr* use(Stmt* in, std::string_view name) {
    return find(in, [&](Expr* e) { return e->kind == Expr::Var && e->variable->name == name; });
  }
  Stmt* newStmt(Stmt::Kind kind) {
    Stmt* s = arena.make<Stmt>();
    s->kind = kind;
    return s;
  }
  void append(size_t superstep, Stmt* s) {
    FlatItem item;
    item.stmt = s;
    step(superstep).items.push_back(item);
  }
  Stmt* requireCode(uint32_t number) { return spawn().requires_[number]->body.front(); }

  SourceManager sources;
  Arena arena;
  Diagnostics diagnostics;
  FlatProgram program;
};

std::string broken(const std::function<void(Flat&)>& change, const char* text = kThreeSupersteps) {
  Flat flat(text);
  change(flat);
  return expand::verify(flat.program);
}

} // namespace

TEST(FlatVerify, AProgramThatExpandMadeIsGood) {
  Flat flat;
  EXPECT_EQ(expand::verify(flat.program), "");
  EXPECT_EQ(expand::text(flat.program, flat.sources), R"(spawn in test: n threads, rank int, block 256, width 0  // 11:3
  host device int* p
  host int m
  host int n
  superstep 1  // 12:9, to line 13
    require 0, scope 1  // 4:3
      device int* all = dtempnew[(long)thread.size]int  // 4:23
    int x = twice(p[thread.rank])  // 12:9
    int x.2 = x  // 13:19, an argument
    all@0[thread.rank] = x.2  // 5:3
  superstep 2  // 13:9, to line 18
    snapshot x
    require 1  // 15:5
      m = m + 1  // 15:13
    int first = all@0[0]  // 13:13, a call's result
    int y = first  // 13:9
    int z = thread.get(0, x)  // 14:9
    x = y + m@1  // 16:5
    thread.put(z, x, 1)  // 17:5
    free scope 1
  superstep 3 (ranks reassigned)  // 19:5, to line 21
    require 2  // 19:5
      thread.size = m  // 19:13
    thread.oldrank = thread.rank  // 20:5
    p[thread.rank] = x  // 21:5
function twice(int x) -> int  // 2:5
  return x * 2  // 2:20
)");
}

TEST(FlatVerify, TheSpawnsHead) {
  EXPECT_EQ(broken([](Flat& f) { f.spawn().size = nullptr; }), "spawn in test: the size is not of the rank type");
  EXPECT_EQ(broken([](Flat& f) { f.spawn().block = 0; }), "spawn in test: there are no blocks of that many threads");
  EXPECT_EQ(broken([](Flat& f) { f.spawn().width = 3; }), "spawn in test: there is no such width");
  EXPECT_EQ(broken([](Flat& f) { f.spawn().rank_type = f.program.program->types.i8; }),
            "spawn in test: ranks are no integers of 32 or 64 bits");
  EXPECT_EQ(broken([](Flat& f) { f.spawn().supersteps.clear(), f.spawn().requires_.clear(); }),
            "spawn in test: there is no superstep");
  EXPECT_EQ(broken([](Flat& f) { f.spawn().function = nullptr; }), "spawn in no function: it is in no function");
}

TEST(FlatVerify, RequiresStandOnceInFront) {
  EXPECT_EQ(broken([](Flat& f) { f.spawn().requires_[1]->id = 2; }),
            "spawn in test: requires are not numbered in order");
  EXPECT_EQ(broken([](Flat& f) { f.step(3).items.push_back(f.step(3).items.front()); }),
            "spawn in test, superstep 3, item 4: a require behind a statement");
  EXPECT_EQ(broken([](Flat& f) { f.step(3).items.insert(f.step(3).items.begin(), f.step(2).items.front()); }),
            "spawn in test, superstep 3, item 1: a require stands twice");
  EXPECT_EQ(broken([](Flat& f) { f.step(3).items.erase(f.step(3).items.begin()); }),
            "spawn in test: require 2 stands nowhere");
  EXPECT_EQ(broken([](Flat& f) { f.step(1).items.front() = {}; }),
            "spawn in test, superstep 1, item 1: neither a statement nor a require, or both");
}

TEST(FlatVerify, NodesHaveOnePlace) {
  EXPECT_EQ(broken([](Flat& f) { f.append(3, f.stmt(2, 2)); }),
            "spawn in test, superstep 3, item 4: a statement of kind 1 has two places");
  EXPECT_EQ(broken([](Flat& f) { f.stmt(2, 4)->expr->b->a = f.stmt(2, 2)->expr; }),
            "spawn in test, superstep 2, item 5: an expression of kind 3 has two places");
}

TEST(FlatVerify, NothingCollectiveIsLeft) {
  for (Stmt::Kind kind : {Stmt::Spawn, Stmt::Barrier, Stmt::Require, Stmt::Par, Stmt::HostAssign})
    EXPECT_EQ(broken([&](Flat& f) { f.append(3, f.newStmt(kind)); }),
              "spawn in test, superstep 3, item 4: a statement of kind " + std::to_string(kind) + " is left");
  EXPECT_EQ(broken([](Flat& f) {
              f.find(f.stmt(1, 1), [](Expr* e) { return e->kind == Expr::Call; })->function->collective = true;
            }),
            "spawn in test, superstep 1, item 2: a call of the collective function 'twice' is left");
  EXPECT_EQ(broken([](Flat& f) { f.spawn().requires_[2]->body.push_back(f.newStmt(Stmt::Barrier)); }),
            "spawn in test, superstep 3, item 1: a statement of kind 11 is left");
}

TEST(FlatVerify, CodeIsOfItsSide) {
  EXPECT_EQ(broken([](Flat& f) { f.requireCode(1)->expr->b->a->kind = Expr::ThreadRank; }),
            "spawn in test, superstep 2, item 1: an expression of device code on the host");
  EXPECT_EQ(broken([](Flat& f) {
              Expr* e = f.stmt(2, 3)->expr;
              e->kind = Expr::BuiltinCall, e->builtin = Builtin::WorkerCount;
            }),
            "spawn in test, superstep 2, item 4: built-in function " + std::to_string(int(Builtin::WorkerCount)) +
                " on the side where it is not");
  EXPECT_EQ(broken([](Flat& f) { f.requireCode(1)->expr->b->a->variable = f.stmt(1, 1)->variable; }),
            "spawn in test, superstep 2, item 1: host code names 'x', a variable of each thread");
  EXPECT_EQ(broken([](Flat& f) { f.requireCode(1)->kind = Stmt::Return; }),
            "spawn in test, superstep 2, item 1: a return in a require");
  EXPECT_EQ(broken([](Flat& f) { f.requireCode(0)->variable = f.stmt(1, 1)->variable; }),
            "spawn in test, superstep 1, item 1: 'x' is declared on the side where it is not");
}

TEST(FlatVerify, VariablesAreThere) {
  EXPECT_EQ(broken([](Flat& f) { std::swap(f.stmt(2, 1), f.stmt(2, 2)); }),
            "spawn in test, superstep 2, item 2: 'first' is used before its declaration");
  EXPECT_EQ(broken([](Flat& f) { f.use(f.stmt(2, 4), "m")->index = 3; }),
            "spawn in test, superstep 2, item 5: version 3 of 'm' is read before its require");
  EXPECT_EQ(broken([](Flat& f) { f.requireCode(1)->expr->b->a->index = 1; }),
            "spawn in test, superstep 2, item 1: host code names version 1 of 'm'");
  EXPECT_EQ(broken([](Flat& f) { f.spawn().function->locals.clear(); }),
            "spawn in test, superstep 1, item 4: 'all' is no variable of the host function");
  EXPECT_EQ(broken([](Flat& f) { f.stmt(2, 4)->expr->a->variable = f.use(f.stmt(2, 4), "m")->variable; }),
            "spawn in test, superstep 2, item 5: device code assigns to the host variable 'm'");
  EXPECT_EQ(broken([](Flat& f) { f.stmt(2, 4)->expr->b->a->type = f.program.program->types.error; }),
            "spawn in test, superstep 2, item 5: an expression without a type");
}

TEST(FlatVerify, JumpsHaveATarget) {
  EXPECT_EQ(broken([](Flat& f) { f.append(3, f.newStmt(Stmt::Break)); }),
            "spawn in test, superstep 3, item 4: a break with nothing to leave");
  EXPECT_EQ(broken([](Flat& f) { f.append(3, f.newStmt(Stmt::Continue)); }),
            "spawn in test, superstep 3, item 4: a continue outside of loops");
}

TEST(FlatVerify, Ways) {
  EXPECT_EQ(broken([](Flat& f) { f.step(3).next = {0}; }), "spawn in test: a way to no superstep, or to the first");
  EXPECT_EQ(broken([](Flat& f) { f.step(1).next.clear(); }), "spawn in test, superstep 2: no way leads here");
  EXPECT_EQ(broken([](Flat& f) { f.step(1).next = {1, 1}; }),
            "spawn in test, superstep 1: several ways without a test");
  EXPECT_EQ(broken([](Flat& f) { f.step(3).next = {1}; }),
            "spawn in test, superstep 2: whether ways meet is not what it says");
  EXPECT_EQ(broken([](Flat& f) { f.step(3).next = {1}, f.step(2).meets = true; }), ""); // a loop without an end
  EXPECT_EQ(broken([](Flat& f) { f.step(3).next = {2}, f.step(3).meets = true; }),
            "spawn in test, superstep 3: ranks are reassigned where ways meet");
  EXPECT_EQ(broken([](Flat& f) { f.step(2).renumbered = true; }),
            "spawn in test, superstep 2: ranks of several numberings where no ways meet");
}

TEST(FlatVerify, WhatThreadsTellEachOther) {
  EXPECT_EQ(broken([](Flat& f) { f.step(2).snapshots.clear(); }),
            "spawn in test, superstep 2, item 4: a thread.get without a snapshot");
  EXPECT_EQ(broken([](Flat& f) { f.step(3).snapshots = f.step(2).snapshots; }),
            "spawn in test, superstep 3: a snapshot that no thread.get reads");
  EXPECT_EQ(broken([](Flat& f) { f.step(1).snapshots = f.step(2).snapshots; }),
            "spawn in test, superstep 1: a snapshot of before the first superstep");
  EXPECT_EQ(broken([](Flat& f) { f.step(2).snapshots.front()->variable = f.stmt(2, 2)->variable; }),
            "spawn in test, superstep 2: a snapshot of 'y', which is not declared yet");
  EXPECT_EQ(broken([](Flat& f) {
              f.stmt(2, 3)->expr->b = f.arena.make<Expr>(*f.step(2).snapshots.front());
              f.stmt(2, 3)->expr->b->variable = f.stmt(2, 2)->variable;
            }),
            "spawn in test, superstep 2, item 4: thread.get of 'y', which was not there before");
  EXPECT_EQ(broken([](Flat& f) { f.stmt(2, 5)->target = f.use(f.stmt(2, 4), "m"); }),
            "spawn in test, superstep 2, item 6: thread.put of what is no part of a thread's variable");
  EXPECT_EQ(broken([](Flat& f) { f.stmt(2, 5)->value = nullptr; }),
            "spawn in test, superstep 2, item 6: a thread.put with a part missing");
}

TEST(FlatVerify, TheOldRankIsSetOnce) {
  EXPECT_EQ(broken([](Flat& f) { f.step(3).items.erase(f.step(3).items.begin() + 1); }),
            "spawn in test, superstep 3: thread.oldrank is not set once");
  EXPECT_EQ(broken([](Flat& f) { f.step(3).reassigned = false; }),
            "spawn in test, superstep 3, item 2: thread.oldrank is set without a reassignment");
  EXPECT_EQ(broken([](Flat& f) { f.step(1).reassigned = true; }),
            "spawn in test, superstep 1: ranks are reassigned before there are any");
  EXPECT_EQ(broken([](Flat& f) {
              Stmt* block = f.newStmt(Stmt::Block);
              block->stmts = {&f.stmt(3, 1), 1};
              f.step(3).items[2].stmt = block;
            }),
            "spawn in test, superstep 3, item 3: a statement of kind 15 has two places");
  EXPECT_EQ(broken([](Flat& f) {
              auto* inner = f.arena.make<Stmt*>(f.stmt(3, 1));
              Stmt* block = f.newStmt(Stmt::Block);
              block->stmts = {inner, 1};
              f.step(3).items[1].stmt = block;
            }),
            "spawn in test, superstep 3, item 2: thread.oldrank is set inside of a statement");
}

TEST(FlatVerify, ScopesAreFreedOnce) {
  EXPECT_EQ(broken([](Flat& f) { f.step(2).freed_scopes.clear(); }), "spawn in test: scope 1 is never freed");
  EXPECT_EQ(broken([](Flat& f) { f.step(3).freed_scopes = {1}; }),
            "spawn in test, superstep 3: scope 1 is freed twice");
  EXPECT_EQ(broken([](Flat& f) { f.step(3).freed_scopes = {7}; }),
            "spawn in test, superstep 3: scope 7 has no require");
  EXPECT_EQ(broken([](Flat& f) { f.spawn().requires_[2]->scope = 1; }),
            "spawn in test, superstep 2: scope 1 is freed before its last require");
}

TEST(FlatVerify, RoundsFreeWhatTheyTake) {
  Flat flat(kRounds);
  EXPECT_EQ(expand::verify(flat.program), "");
  auto ended = [&](size_t number) { return flat.step(number).ended_rounds; };
  EXPECT_EQ(ended(2), std::vector<uint32_t>{1}); // the loop's head
  EXPECT_EQ(ended(5), std::vector<uint32_t>{1}); // behind the loop
  EXPECT_TRUE(ended(1).empty() && ended(3).empty() && ended(4).empty());
  EXPECT_EQ(broken([](Flat& f) { f.step(2).ended_rounds.clear(); }, kRounds),
            "spawn in test: scope 1 is not freed before its round");
  EXPECT_EQ(broken([](Flat& f) { f.step(2).ended_rounds = {1, 7}; }, kRounds),
            "spawn in test: scope 7 of a round takes nothing");
  EXPECT_EQ(broken([](Flat& f) { f.spawn().requires_[0]->scope = 1, f.step(5).freed_scopes = {1}; }, kRounds),
            "spawn in test: scope 1 is a round's and a call's");
}

TEST(FlatVerifyDeath, AViolationEndsTheProcess) {
  Flat flat;
  flat.step(2).snapshots.clear();
  EXPECT_DEATH(expand::check(flat.program), "after expand: spawn in test, superstep 2, item 4: a thread.get without");
}

} // namespace bsgp
