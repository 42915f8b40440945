#include "expand/verify.h"

#include <algorithm>
#include <map>
#include <unordered_map>

#include <fmt/format.h>

#include "expand/verify_code.h"
#include "expand/visit.h"
#include "expand/ways.h"
#include "support/check.h"

namespace bsgp::expand {

namespace {

class Verifier {
public:
  Verifier(const FlatSpawn& spawn, NodeSet& nodes, const NodeSet& host) : spawn_(spawn), code_(nodes, host) {}

  std::string run() {
    head();
    if (good())
      ways();
    for (step_ = 1; step_ <= spawn_.supersteps.size() && good(); ++step_)
      superstep(spawn_.supersteps[step_ - 1]);
    step_ = 0;
    if (good())
      end();
    return violation_;
  }

private:
  bool good() const { return violation_.empty(); }

  void fail(std::string_view what) {
    if (!good())
      return;
    violation_ = fmt::format("spawn in {}", spawn_.function ? spawn_.function->name : "no function");
    if (step_)
      violation_ += fmt::format(", superstep {}", step_);
    if (item_)
      violation_ += fmt::format(", item {}", item_);
    violation_ += fmt::format(": {}", what);
  }

  void require(bool holds, std::string_view what) {
    if (!holds)
      fail(what);
  }

  void head() {
    require(spawn_.function, "it is in no function");
    require(spawn_.rank_type && spawn_.rank_type->isInt() && spawn_.rank_type->bits >= 32,
            "ranks are no integers of 32 or 64 bits");
    require(spawn_.size && spawn_.size->type == spawn_.rank_type, "the size is not of the rank type");
    require(spawn_.block >= 1 && spawn_.block <= kLargestBlock, "there are no blocks of that many threads");
    require(spawn_.width <= kMostLanes && (spawn_.width & (spawn_.width - 1)) == 0, "there is no such width");
    require(!spawn_.supersteps.empty(), "there is no superstep");
    for (size_t i = 0; i < spawn_.requires_.size(); ++i)
      require(spawn_.requires_[i]->id == i, "requires are not numbered in order");
    stands_.resize(spawn_.requires_.size());
    for (const FlatRequire* each : spawn_.requires_)
      if (each->scope)
        ++to_come_[each->scope].requires_;
    if (good())
      code_.host(spawn_.size);
    codeFailed();
  }

  // Each edge leads on, or back to a superstep that every path to its source passes.
  void ways() {
    for (const FlatSuperstep& step : spawn_.supersteps)
      for (uint32_t to : step.next)
        require(to > 0 && to < spawn_.supersteps.size(), "a way to no superstep, or to the first");
    if (!good())
      return;
    WayGraph graph(spawn_);
    for (step_ = 1; step_ <= spawn_.supersteps.size(); ++step_) {
      const FlatSuperstep& step = spawn_.supersteps[step_ - 1];
      uint32_t at = static_cast<uint32_t>(step_ - 1);
      const std::vector<uint32_t>& before = graph.before(at);
      require(step_ == 1 || std::any_of(before.begin(), before.end(), [&](uint32_t from) { return from < at; }),
              "no way leads here");
      require(step.meets == (before.size() > 1), "whether ways meet is not what it says");
      require(!step.renumbered || step.meets, "ranks of several numberings where no ways meet");
      require(!step.reassigned || !step.meets, "ranks are reassigned where ways meet");
      for (uint32_t to : step.next)
        require(to > at || graph.dominates(to, at), "a way back to what is no head of a loop");
      if (step.test)
        test(*step.test, step.next.size());
      else
        require(step.next.size() <= 1, "several ways without a test");
    }
    step_ = 0;
  }

  void test(const FlatTest& test, size_t ways) {
    require(test.value && (test.value->type->isBool() || test.value->type->isInt()), "a test of what is no number");
    require(ways == test.values.size() + 1, "a test has another number of ways");
    for (size_t i = 0; i < test.values.size(); ++i)
      for (size_t k = 0; k < i; ++k)
        require(test.values[i] != test.values[k], "two ways for one value");
  }

  void superstep(const FlatSuperstep& step) {
    bool first = step_ == 1, statements = false;
    oldranks_ = 0;
    require(!first || !step.reassigned, "ranks are reassigned before there are any");
    require(!first || step.snapshots.empty(), "a snapshot of before the first superstep");
    for (uint32_t scope : step.ended_rounds)
      rounds_[scope].ends.push_back(at());
    code_.beginSuperstep(step.snapshots);
    codeFailed();
    for (item_ = 1; item_ <= step.items.size() && good(); ++item_) {
      const FlatItem& item = step.items[item_ - 1];
      require(bool(item.stmt) != bool(item.require), "neither a statement nor a require, or both");
      if (item.require)
        require(!statements, "a require behind a statement");
      if (item.require && good())
        place(*item.require);
      if (item.stmt && good())
        statement(item.stmt, step.reassigned);
      statements |= item.stmt != nullptr;
    }
    item_ = 0;
    require(oldranks_ == (step.reassigned ? 1 : 0), "thread.oldrank is not set once");
    require(code_.allRead(), "a snapshot that no thread.get reads");
    if (step.test)
      code_.host(step.test->value);
    codeFailed();
    for (uint32_t scope : step.freed_scopes)
      free(scope);
  }

  void statement(const Stmt* s, bool reassigned) {
    if (s->kind == Stmt::OldRank) {
      require(reassigned, "thread.oldrank is set without a reassignment");
      require(s->expr, "thread.oldrank is set to nothing");
      ++oldranks_;
    }
    s->kind == Stmt::OldRank ? code_.oldRank(s) : code_.device(s);
    codeFailed();
  }

  void place(const FlatRequire& r) {
    require(r.id < stands_.size() && spawn_.requires_[r.id] == &r, "a require that is not the spawn's");
    if (!good())
      return;
    require(!stands_[r.id], "a require stands twice");
    stands_[r.id] = true;
    if (r.scope) {
      Scope& scope = to_come_[r.scope];
      require(!scope.freed, "a require behind the end of its scope");
      --scope.requires_;
    }
    for (Stmt* s : r.body) {
      code_.host(s);
      visitExprs(s, [&](Expr* e) {
        if (e->kind == Expr::BuiltinCall && e->builtin == Builtin::DtempNew && e->index)
          rounds_[e->index].takers.push_back(at());
        return true;
      });
    }
    code_.standsBefore(r);
    codeFailed();
  }

  void free(uint32_t number) {
    auto scope = to_come_.find(number);
    if (scope == to_come_.end())
      return fail(fmt::format("scope {} has no require", number));
    require(!scope->second.freed, fmt::format("scope {} is freed twice", number));
    require(!scope->second.requires_, fmt::format("scope {} is freed before its last require", number));
    scope->second.freed = true;
  }

  void end() {
    for (size_t i = 0; i < stands_.size(); ++i)
      require(stands_[i] || spawn_.requires_[i]->test, fmt::format("require {} stands nowhere", i));
    for (auto& [number, scope] : to_come_)
      require(scope.freed, fmt::format("scope {} is never freed", number));
    if (!rounds_.empty())
      rounds();
  }

  // Before something is taken anew, what it took the time before is freed.
  void rounds() {
    WayGraph graph(spawn_);
    for (auto& [number, round] : rounds_) {
      require(!to_come_.count(number), fmt::format("scope {} is a round's and a call's", number));
      require(!round.takers.empty(), fmt::format("scope {} of a round takes nothing", number));
      for (uint32_t taker : round.takers)
        require(std::any_of(round.ends.begin(), round.ends.end(),
                            [&](uint32_t end) { return graph.dominates(end, taker); }),
                fmt::format("scope {} is not freed before its round", number));
    }
  }

  uint32_t at() const { return static_cast<uint32_t>(step_ - 1); }

  void codeFailed() { require(code_.violation().empty(), code_.violation()); }

  struct Scope {
    uint32_t requires_ = 0; // that are still to stand
    bool freed = false;
  };

  struct Round {
    std::vector<uint32_t> takers, ends; // supersteps
  };

  const FlatSpawn& spawn_;
  CodeVerifier code_;
  std::vector<bool> stands_;
  std::unordered_map<uint32_t, Scope> to_come_;
  std::map<uint32_t, Round> rounds_; // by scope
  size_t step_ = 0, item_ = 0;       // from 1; 0: of none
  unsigned oldranks_ = 0;
  std::string violation_;
};

} // namespace

std::string verify(const FlatProgram& flat) {
  NodeSet nodes;
  NodeSet host;
  const Function* of = nullptr;
  for (const auto& spawn : flat.spawns) {
    if (spawn->function && spawn->function != of) { // spawns of a function follow each other
      of = spawn->function;
      host = {};
      for (const std::vector<Variable*>* list : {&of->params, &of->locals})
        for (const Variable* v : *list)
          host.insert(v);
    }
    if (std::string violation = Verifier(*spawn, nodes, host).run(); !violation.empty())
      return violation;
  }
  return "";
}

void check(const FlatProgram& flat) {
  std::string violation = verify(flat);
  BSGP_CHECK(violation.empty(), "after expand: %s", violation.c_str());
}

} // namespace bsgp::expand
