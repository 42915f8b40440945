// Device code reads the textually preceding version of a host variable. A version is a require; which requires
// may change a variable is found here, and each read is marked with the last one before it.
#include <algorithm>
#include <unordered_map>

#include "expand/flattener.h"
#include "expand/visit.h"

namespace bsgp::expand {

namespace {

class Versions {
public:
  explicit Versions(Program& program) : program_(program) {}

  // Everything the require's code may change gets its number.
  void require(const FlatRequire& require) {
    uint32_t version = require.id + 1;
    for (Stmt* s : require.body) {
      visitStmt(s, [&](Stmt* at) {
        if (at->kind == Stmt::Decl)
          direct_[at->variable] = version;
        return true;
      });
      visitExprs(s, [&](Expr* e) {
        expression(e, version);
        return true;
      });
    }
  }

  void device(Stmt* s) {
    visitExprs(s, [&](Expr* e) { return read(e); });
  }

  // A dlist is seen as it is at the launch, after all requires of the superstep.
  void launch() {
    for (Expr* e : lists_)
      e->index = of(e->variable);
    lists_.clear();
  }

private:
  // False where the parts have been looked at.
  bool read(Expr* e) {
    if (e->kind == Expr::DListData || e->kind == Expr::DListCount) {
      list(e->a);
      return false;
    }
    if (e->kind == Expr::Var && isHost(e->variable))
      e->index = of(e->variable);
    if (e->kind == Expr::Call)
      e->function = specialize(*e);
    return true;
  }

  // A list of a host variable. Which one of an array it is, is read as of here.
  void list(Expr* place) {
    for (; place->kind != Expr::Var; place = place->a)
      if (place->kind == Expr::Index)
        visitExpr(place->b, [&](Expr* e) { return read(e); });
    lists_.push_back(place);
  }

  static bool isHost(const Variable* v) { return v->side == Side::Host && v->kind != Variable::Constant; }

  uint32_t of(const Variable* v) const {
    auto it = direct_.find(v);
    uint32_t version = it == direct_.end() ? 0 : it->second;
    bool aliased = v->address_taken || v->kind == Variable::Global || v->type->holds_lists;
    return aliased && wild_ > version ? wild_ : version;
  }

  void written(Expr* place, uint32_t version) {
    for (Expr* at = place; at; at = at->a) {
      if (at->kind == Expr::Var)
        direct_[at->variable] = version;
      if (at->kind == Expr::Deref || (at->kind == Expr::Index && at->a->type->isPointer()))
        wild_ = version;
    }
  }

  void expression(Expr* e, uint32_t version) {
    bool assigns = e->kind == Expr::Assign || e->kind == Expr::CompoundAssign || e->kind == Expr::IncDec;
    if (assigns || (e->kind == Expr::BuiltinCall && changesDList(e->builtin)))
      written(e->a, version);
    if (e->kind == Expr::BuiltinCall && e->builtin == Builtin::DListSwap)
      written(e->b, version);
    if (e->kind == Expr::BuiltinCall && e->builtin == Builtin::Copy)
      wild_ = version;
    if (e->kind != Expr::Call)
      return;
    wild_ = version; // a call renews globals, dlists and what has its address taken
    for (size_t i = 0; i < e->args.size() && i < e->function->params.size(); ++i)
      if (e->function->params[i]->by_reference && !e->function->params[i]->is_const)
        written(e->args[i], version);
  }

  // A device function that reads host variables, or takes one by reference, gets a copy for the versions at this call.
  Function* specialize(Expr& call) {
    Function* f = call.function;
    bool takes_host = std::any_of(f->params.begin(), f->params.end(), isHost);
    if (!f->body || !(takes_host || readsHost(f)))
      return f;
    auto* copy = program_.arena.make<Function>(*f);
    Cloner cloner(program_, nullptr);
    copy->params.clear();
    std::vector<Expr*> args;
    for (size_t i = 0; i < f->params.size(); ++i) {
      if (isHost(f->params[i])) {
        cloner.substitute(f->params[i], call.args[i]);
        continue;
      }
      copy->params.push_back(cloner.renew(f->params[i]));
      args.push_back(call.args[i]);
    }
    copy->body = cloner.clone(f->body);
    call.args = cloner.keep(args);
    device(copy->body);
    return copy;
  }

  bool readsHost(Function* f) {
    auto [it, fresh] = reads_host_.try_emplace(f, false);
    if (!fresh)
      return it->second;
    bool found = false;
    visitExprs(f->body, [&](Expr* e) {
      found |= e->kind == Expr::Var && isHost(e->variable);
      if (e->kind == Expr::Call && e->function->body)
        found |= readsHost(e->function);
      return !found;
    });
    return reads_host_[f] = found;
  }

  Program& program_;
  std::unordered_map<const Variable*, uint32_t> direct_;
  std::unordered_map<const Function*, bool> reads_host_;
  std::vector<Expr*> lists_; // reads of dlists in this superstep
  uint32_t wild_ = 0;
};

} // namespace

void bindVersions(FlatSpawn& spawn, Program& program) {
  Versions versions(program);
  for (FlatSuperstep& step : spawn.supersteps) {
    for (FlatItem& item : step.items)
      item.require ? versions.require(*item.require) : versions.device(item.stmt);
    versions.launch();
    // Once the reads are bound, requires may stand where they run: before everything else.
    std::stable_partition(step.items.begin(), step.items.end(),
                          [](const FlatItem& item) { return item.require != nullptr; });
  }
}

} // namespace bsgp::expand
