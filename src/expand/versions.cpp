// Device code reads the textually preceding version of a host variable. A version is a require; this finds the
// requires that may change a variable, and marks each read with the last one before it. If edges with different last
// requires lead to a superstep, it gets a require without code, which is the last one from there on.
#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "expand/flattener.h"
#include "expand/visit.h"
#include "expand/ways.h"

namespace bsgp::expand {

namespace {

bool isHost(const Variable* v) {
  return v->side == Side::Host && v->kind != Variable::Constant;
}

// True if it may change through a pointer or in a call.
bool isAliased(const Variable* v) {
  return v->address_taken || v->kind == Variable::Global || v->type->holds_lists;
}

// The variables that the code of requires may change.
class Writes {
public:
  void add(const FlatRequire& require) {
    for (Stmt* s : require.body) {
      visitStmt(s, [&](Stmt* at) {
        if (at->kind == Stmt::Decl)
          declared.insert(at->variable), variables.insert(at->variable);
        return true;
      });
      visitExprs(s, [&](Expr* e) {
        expression(e);
        return true;
      });
    }
  }
  bool empty() const { return variables.empty() && !wild; }

  std::unordered_set<const Variable*> variables, declared;
  bool wild = false; // and everything aliased

private:
  void place(Expr* place) {
    for (Expr* at = place; at; at = at->a) {
      if (at->kind == Expr::Var)
        variables.insert(at->variable);
      wild |= at->kind == Expr::Deref || (at->kind == Expr::Index && at->a->type->isPointer());
    }
  }

  void expression(Expr* e) {
    if (isAssignment(*e) || (e->kind == Expr::BuiltinCall && changesDList(e->builtin)))
      place(e->a);
    if (e->kind == Expr::BuiltinCall && e->builtin == Builtin::DListSwap)
      place(e->b);
    if (e->kind == Expr::BuiltinCall && e->builtin == Builtin::Copy)
      wild = true;
    if (e->kind != Expr::Call)
      return;
    wild = true; // a call renews globals, dlists and variables whose address is taken
    for (size_t i = 0; i < e->args.size() && i < e->function->params.size(); ++i)
      if (e->function->params[i]->by_reference && !e->function->params[i]->is_const)
        place(e->args[i]);
  }
};

// Binds the reads of device code. Supersteps are visited in the order of the dominator tree: versions found at one
// hold in all that it dominates, until undone.
class Versions {
public:
  explicit Versions(Program& program) : program_(program) {}

  // Gives every variable that the require's code may change its number.
  void require(const FlatRequire& require) {
    Writes writes;
    writes.add(require);
    changed(writes, require.id + 1);
  }

  void changed(const Writes& writes, uint32_t version) {
    Version now{version, ++time_};
    for (const Variable* v : writes.variables)
      set(direct_[v], now);
    if (writes.wild)
      set(wild_, now);
  }

  void device(Stmt* s) {
    visitExprs(s, [&](Expr* e) { return read(e); });
  }

  // A dlist has its contents at the launch, after all requires of the superstep.
  void launch() {
    for (Expr* e : lists_)
      bind(e);
    lists_.clear();
  }

  // The reads of a version in device code.
  std::vector<Expr*>& readsOf(uint32_t version) { return reads_[version]; }

  size_t mark() const { return undo_.size(); }
  void undoTo(size_t mark) {
    for (; undo_.size() > mark; undo_.pop_back())
      *undo_.back().first = undo_.back().second;
  }

private:
  struct Version {
    uint32_t number = 0;
    uint64_t time = 0; // of two, the later one counts
  };

  void set(Version& place, Version to) {
    undo_.push_back({&place, place});
    place = to;
  }

  // False if the parts have been looked at.
  bool read(Expr* e) {
    if (e->kind == Expr::DListData || e->kind == Expr::DListCount) {
      list(e->a);
      return false;
    }
    if (e->kind == Expr::Var && isHost(e->variable))
      bind(e);
    if (e->kind == Expr::Call)
      e->function = specialize(*e);
    return true;
  }

  // Binds a list of a host variable. Which one of an array it is, is read here.
  void list(Expr* place) {
    for (; place->kind != Expr::Var; place = place->a)
      if (place->kind == Expr::Index)
        visitExpr(place->b, [&](Expr* e) { return read(e); });
    lists_.push_back(place);
  }

  void bind(Expr* e) {
    e->index = of(e->variable);
    reads_[e->index].push_back(e);
  }

  uint32_t of(const Variable* v) const {
    auto it = direct_.find(v);
    Version version = it == direct_.end() ? Version{} : it->second;
    return isAliased(v) && wild_.time > version.time ? wild_.number : version.number;
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
    call.args = sema::Nodes{program_.arena}.keep(args);
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
  std::unordered_map<const Variable*, Version> direct_; // places of entries stay
  std::vector<std::pair<Version*, Version>> undo_;      // the former contents
  std::unordered_map<const Function*, bool> reads_host_;
  std::unordered_map<uint32_t, std::vector<Expr*>> reads_; // by version
  std::vector<Expr*> lists_;                               // reads of dlists in this superstep
  Version wild_;
  uint64_t time_ = 0;
};

// The host variables that a spawn's device code reads.
class Reads {
public:
  explicit Reads(const FlatSpawn& spawn) {
    for (const FlatSuperstep& step : spawn.supersteps)
      for (const FlatItem& item : step.items)
        add(item.stmt);
  }
  bool has(const Variable* v) const { return variables_.count(v); }
  bool hasAliased() const { return std::any_of(variables_.begin(), variables_.end(), isAliased); }

private:
  void add(Stmt* s) {
    visitExprs(s, [&](Expr* e) {
      if (e->kind == Expr::Var && isHost(e->variable))
        variables_.insert(e->variable);
      if (e->kind == Expr::Call && e->function->body && functions_.insert(e->function).second)
        add(e->function->body);
      return true;
    });
  }

  std::unordered_set<const Variable*> variables_;
  std::unordered_set<const Function*> functions_;
};

// Adds a version (a require without code) to supersteps at which different values arrive of a host variable that
// device code reads.
class Meetings {
public:
  Meetings(FlatSpawn& spawn, Program& program, const WayGraph& ways)
      : spawn_(spawn), program_(program), ways_(ways), reads_(spawn), of_(spawn.supersteps.size()) {
    for (uint32_t k = 0; k < of_.size(); ++k)
      for (const FlatItem& item : spawn.supersteps[k].items)
        if (item.require)
          note(*item.require, k);
    for (auto& [variable, changes] : changes_)
      meet(variable, changes);
    if (reads_.hasAliased())
      for (uint32_t step : ways_.meetings(std::move(wild_)))
        of_[step].wild = true;
    for (uint32_t k = 0; k < of_.size(); ++k)
      if (!of_[k].empty())
        addVersion(k);
  }
  const Writes& at(uint32_t step) const { return of_[step]; }

private:
  struct Changes {
    std::vector<uint32_t> changed, declared; // supersteps
  };

  void note(const FlatRequire& require, uint32_t step) {
    Writes writes;
    writes.add(require);
    for (const Variable* v : writes.variables)
      if (reads_.has(v))
        changes_[v].changed.push_back(step);
    for (const Variable* v : writes.declared)
      if (reads_.has(v))
        changes_[v].declared.push_back(step);
    if (writes.wild)
      wild_.push_back(step);
  }

  // If paths on which the variable was declared have ended, it is not read any more, or not before it is declared
  // again.
  void meet(const Variable* variable, Changes& changes) {
    std::vector<uint32_t> met = ways_.meetings(std::move(changes.changed)),
                          gone = ways_.meetings(std::move(changes.declared));
    for (uint32_t step : met)
      if (!std::binary_search(gone.begin(), gone.end(), step))
        of_[step].variables.insert(variable);
  }

  void addVersion(uint32_t step) {
    auto* require = program_.arena.make<FlatRequire>();
    require->id = static_cast<uint32_t>(spawn_.requires_.size());
    require->range = {spawn_.supersteps[step].first, spawn_.supersteps[step].first};
    spawn_.requires_.push_back(require);
    FlatItem item;
    item.require = require, item.origin = FlatOrigin::Meeting;
    auto& items = spawn_.supersteps[step].items;
    items.insert(items.begin(), item);
  }

  FlatSpawn& spawn_;
  Program& program_;
  const WayGraph& ways_;
  Reads reads_;
  std::unordered_map<const Variable*, Changes> changes_; // of variables that device code reads
  std::vector<uint32_t> wild_;                           // supersteps that may change aliased variables
  std::vector<Writes> of_;                               // of each superstep: variables that differ on its edges
};

// Drops versions of joins that are not read before another version replaces them.
void dropUnread(FlatSpawn& spawn, Versions& versions) {
  std::unordered_set<const FlatRequire*> meetings, unread;
  for (const FlatSuperstep& step : spawn.supersteps)
    for (const FlatItem& item : step.items)
      if (item.origin == FlatOrigin::Meeting)
        meetings.insert(item.require);
  std::vector<FlatRequire*> kept;
  for (FlatRequire* require : spawn.requires_) {
    const std::vector<Expr*>& reads = versions.readsOf(require->id + 1);
    if (meetings.contains(require) && reads.empty()) {
      unread.insert(require);
      continue;
    }
    require->id = static_cast<uint32_t>(kept.size());
    kept.push_back(require);
    for (Expr* e : reads)
      e->index = require->id + 1;
  }
  spawn.requires_ = std::move(kept);
  for (FlatSuperstep& step : spawn.supersteps)
    std::erase_if(step.items, [&](const FlatItem& item) { return unread.contains(item.require); });
}

} // namespace

void bindVersions(FlatSpawn& spawn, Program& program) {
  WayGraph ways(spawn);
  Meetings meetings(spawn, program, ways);
  Versions versions(program);
  auto bind = [&](uint32_t k) {
    FlatSuperstep& step = spawn.supersteps[k];
    for (FlatItem& item : step.items) {
      if (item.origin == FlatOrigin::Meeting)
        versions.changed(meetings.at(k), item.require->id + 1);
      else
        item.require ? versions.require(*item.require) : versions.device(item.stmt);
    }
    versions.launch();
    // Once the reads are bound, requires may stand where they run: before everything else.
    std::stable_partition(step.items.begin(), step.items.end(),
                          [](const FlatItem& item) { return item.require != nullptr; });
  };
  std::vector<std::vector<uint32_t>> dominated = ways.dominated();
  struct Open {
    uint32_t step;
    size_t mark, next = 0; // of the supersteps that it dominates
  };
  std::vector<Open> open{{0, 0}};
  bind(0);
  while (!open.empty()) {
    Open& top = open.back();
    if (top.next == dominated[top.step].size()) {
      versions.undoTo(top.mark);
      open.pop_back();
      continue;
    }
    uint32_t step = dominated[top.step][top.next++];
    open.push_back({step, versions.mark()});
    bind(step);
  }
  dropUnread(spawn, versions);
}

} // namespace bsgp::expand
