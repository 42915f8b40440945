// Finds errors that only show between supersteps: a thread.get of a variable that did not exist, and uses of values
// that a reassignment of ranks has lost.
#include <algorithm>
#include <unordered_map>

#include "expand/flattener.h"
#include "expand/places.h"
#include "expand/visit.h"
#include "expand/ways.h"

namespace bsgp::expand {

namespace {

using DeclaredIn = std::unordered_map<const Variable*, uint32_t>; // superstep, from 1

const Variable* placeRoot(const Expr* place) {
  while (place->kind != Expr::Var)
    place = place->a;
  return place->variable;
}

class Checker {
public:
  Checker(FlatSpawn& spawn, Program& program, Diagnostics& diag)
      : spawn_(spawn), program_(program), diag_(diag), ways_(spawn), losses_meet_(spawn.supersteps.size()) {
    std::vector<uint32_t> losing;
    for (uint32_t k = 0; k < spawn.supersteps.size(); ++k)
      if (losesValues(spawn.supersteps[k]))
        losing.push_back(k);
    for (uint32_t k : ways_.meetings(std::move(losing)))
      losses_meet_[k] = true;
  }

  void run() {
    for (uint32_t k = 1; k <= spawn_.supersteps.size(); ++k) {
      FlatSuperstep& step = spawn_.supersteps[k - 1];
      moved_ = !step.reassigned;
      renumbered_before_ = renumberedBefore(k);
      renumbered_ = step.reassigned || renumbered_before_;
      ranks_changed_.push_back(renumbered_);
      set_ = false;
      dead_before_ = deadBefore(k);
      if (losesValues(step))
        moved_ = true, dead_before_ = k;
      dead_after_.push_back(dead_before_);
      for (FlatItem& item : step.items) {
        if (item.require)
          sizes(*item.require, step.reassigned);
        else
          statement(item.stmt, k);
      }
      if (step.reassigned && !set_)
        keepNothing(step, k);
      if (step.next.empty())
        warnOfLastPuts(step);
    }
  }

private:
  // True if ranks are reassigned and no thread.oldrank says where the threads come from.
  static bool losesValues(const FlatSuperstep& step) {
    return step.reassigned && std::none_of(step.items.begin(), step.items.end(), [](const FlatItem& item) {
             return item.stmt && contains(item.stmt, Stmt::OldRank);
           });
  }

  // Returns the number of the superstep before which declared variables do not exist on some path here.
  uint32_t deadBefore(uint32_t k) const {
    uint32_t dead = 0;
    bool loop = false;
    for (uint32_t from : ways_.before(k - 1)) {
      loop |= from + 1 >= k;
      if (from + 1 < k)
        dead = std::max(dead, dead_after_[from]);
    }
    return loop && losses_meet_[k - 1] ? std::max(dead, k) : dead;
  }

  // Edges back to a loop's head are not looked at: if their ranks may be others, the head is `renumbered`.
  bool renumberedBefore(uint32_t k) const {
    bool any = spawn_.supersteps[k - 1].renumbered;
    for (uint32_t from : ways_.before(k - 1))
      any |= from + 1 < k && ranks_changed_[from];
    return any;
  }

  void sizes(const FlatRequire& require, bool reassigned) {
    for (Stmt* s : require.body)
      visitExprs(s, [&](Expr* e) {
        if (isAssignment(*e) && e->a->kind == Expr::ThreadSize && !reassigned)
          diag_.report(Diag::size_without_reassign, e->range);
        return true;
      });
  }

  void statement(Stmt* s, uint32_t k) {
    if (s->kind != Stmt::OldRank)
      visitStmt(s, [&](Stmt* at) {
        if (at->kind == Stmt::OldRank)
          diag_.report(Diag::oldrank_conditional, at->range);
        return true;
      });
    if (Expr* renewed = lostAndAssigned(s)) {
      visitExpr(s->expr->b, [&](Expr* e) { return expression(e, k); });
      if (renewed->kind == Expr::Var)
        declared_[renewed->variable] = k;
      else
        renewed_.push_back({renewed, k});
      return;
    }
    if (s->kind == Stmt::OldRank && !spawn_.supersteps[k - 1].reassigned) {
      bool of_library = diag_.sources().ofLibrary(s->range); // its barrier was refused
      if (!of_library || !diag_.hasErrors())
        diag_.report(isLate(k) ? Diag::oldrank_late : Diag::oldrank_without_reassign, s->range);
      return;
    }
    visitExprs(s, [&](Expr* e) { return expression(e, k); });
    visitStmt(s, [&](Stmt* at) {
      if (at->kind == Stmt::Put && at->by_place && renumbered_)
        diag_.report(Diag::place_of_old, at->range, "thread.put", "put(rank, v, value)");
      if (at->kind == Stmt::Decl)
        declared_[at->variable] = k;
      return true;
    });
    if (s->kind != Stmt::OldRank)
      return;
    if (set_)
      diag_.report(Diag::oldrank_twice, s->range);
    moved_ = set_ = true;
  }

  // True if ranks were reassigned, and control flow came between.
  bool isLate(uint32_t k) const {
    for (; k > 0 && !spawn_.supersteps[k - 1].reassigned; k = ways_.dominator(k - 1) + 1) {
      if (k == 1)
        return false;
    }
    return spawn_.supersteps[k - 1].test != nullptr || spawn_.supersteps[k - 1].next.empty() ||
           spawn_.supersteps[spawn_.supersteps[k - 1].next[0]].meets;
  }

  // A lost variable, field or component that gets a value outside of control flow begins anew; returns it, or null.
  Expr* lostAndAssigned(const Stmt* s) const {
    if (s->kind != Stmt::Expr || s->expr->kind != Expr::Assign)
      return nullptr;
    const Expr* root = s->expr->a;
    while (isPart(root))
      root = root->a;
    auto it = root->kind == Expr::Var ? declared_.find(root->variable) : declared_.end();
    return it != declared_.end() && it->second < dead_before_ ? s->expr->a : nullptr;
  }

  static bool isPart(const Expr* e) {
    return e->kind == Expr::Field || (e->kind == Expr::Swizzle && e->lane_count == 1);
  }

  bool isRenewed(const Expr* e, uint32_t k) const {
    return isPart(e) && std::any_of(renewed_.begin(), renewed_.end(), [&](const Renewed& one) {
             return one.step >= dead_before_ && (moved_ || one.step == k) && samePlace(one.place, e);
           });
  }

  bool expression(Expr* e, uint32_t k) {
    if (isRenewed(e, k))
      return false;
    if (e->kind == Expr::Get) {
      get(e, k);
      visitExpr(e->a, [&](Expr* part) { return expression(part, k); });
      return false;
    }
    if (e->kind != Expr::Var || e->variable->side != Side::Device || e->variable->kind != Variable::Local)
      return true;
    auto it = declared_.find(e->variable);
    if (it == declared_.end() || it->second == k)
      return true;
    if (it->second < dead_before_ && reported_.insert({e->variable, true}).second)
      diag_.report(Diag::value_lost, e->range, e->variable->name);
    else if (!moved_ && reported_.insert({e->variable, true}).second)
      diag_.report(Diag::live_before_oldrank, e->range, e->variable->name);
    return true;
  }

  void get(Expr* e, uint32_t k) {
    const Variable* v = placeRoot(e->b);
    if (e->by_place && renumbered_before_)
      diag_.report(Diag::place_of_old, e->range, "thread.get", "get(rank, v)");
    auto it = declared_.find(v);
    if (k == 1) {
      diag_.report(Diag::get_in_first, e->range, v->name);
      return;
    }
    if (it == declared_.end() || it->second >= k || it->second < dead_before_) {
      diag_.report(Diag::get_of_new, e->range, v->name);
      if (v->range.valid())
        diag_.report(Diag::note_declared, v->range, v->name);
      return;
    }
    auto& snapshots = spawn_.supersteps[k - 1].snapshots;
    for (const Expr* other : snapshots)
      if (samePlace(other, e->b))
        return;
    snapshots.push_back(e->b);
  }

  // A put reaches its variable at the next barrier; behind this superstep there is none.
  void warnOfLastPuts(FlatSuperstep& step) {
    Diagnostics::Mark before = diag_.mark();
    eachPut(step, [&](const Stmt& put) { diag_.report(Diag::put_lost, put.range, placeRoot(put.target)->name); });
    for (Diagnostic& message : diag_.takeSince(before)) {
      message.message =
          message.message.substr(0, message.message.find(':')) + ": the spawn ends before a barrier brings it";
      message.help = "write 'barrier;' behind it, and read it there";
      diag_.put(std::move(message));
    }
  }

  template <class F> static void eachPut(FlatSuperstep& step, const F& visit) {
    for (FlatItem& item : step.items)
      visitStmt(item.stmt, [&](Stmt* at) {
        if (at->kind == Stmt::Put)
          visit(*at);
        return true;
      });
  }

  // Without thread.oldrank, none of the threads' old values may be used again.
  void keepNothing(FlatSuperstep& step, uint32_t k) {
    dead_before_ = k;
    eachPut(spawn_.supersteps[k - 2],
            [&](const Stmt& put) { diag_.report(Diag::put_lost, put.range, placeRoot(put.target)->name); });
    sema::Nodes nodes{program_.arena};
    Stmt* s = nodes.make(Stmt::OldRank, spawn_.range);
    s->expr = nodes.make(Expr::ThreadRank, spawn_.rank_type, spawn_.range);
    FlatItem item;
    item.stmt = s, item.origin = FlatOrigin::Lost;
    step.items.insert(step.items.begin(), item);
  }

  FlatSpawn& spawn_;
  Program& program_;
  Diagnostics& diag_;
  WayGraph ways_;
  std::vector<bool> losses_meet_; // of each superstep: on some path here values are lost
  DeclaredIn declared_;
  struct Renewed {
    const Expr* place; // in a variable that no longer exists
    uint32_t step;
  };
  std::vector<Renewed> renewed_;
  std::unordered_map<const Variable*, bool> reported_;
  uint32_t dead_before_ = 0;
  bool moved_ = true, set_ = false;
  std::vector<uint32_t> dead_after_; // of each superstep, as deadBefore
  std::vector<bool> ranks_changed_;  // of each superstep: its ranks may not be those of the spawn
  bool renumbered_ = false,
       renumbered_before_ = false; // ranks are not those of the spawn: here; in the superstep before
};

} // namespace

void checkSupersteps(FlatSpawn& spawn, Program& program, Diagnostics& diag) {
  Checker(spawn, program, diag).run();
}

} // namespace bsgp::expand
