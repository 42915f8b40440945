// The flat program as text, for `emit flat`. All of it is taken from the tree.
//
//   spawn in f: n threads, rank int, block 256, width 0  // 4:3
//     host int n                                what it sees of the host
//     superstep 1  // 5:5, to line 8
//       require 0  // 5:5                       runs before the superstep's kernel; n@0 is n as it leaves it
//       int x = p[thread.rank] + m@0  // 6:9
//       test i < n -> 1: superstep 2, else: superstep 3  // 7:3
//     superstep 2 (ways meet)
//       snapshot x                              as of the end of the superstep before: thread.get reads it
//       to superstep 4                          where it is not the next one
//   function twice(int a) -> int                device functions that it calls, each behind the first spawn that does
#include <algorithm>
#include <unordered_set>

#include <fmt/format.h>

#include "expand/expand.h"
#include "expand/visit.h"
#include "sema/tree_text.h"

namespace bsgp::expand {

namespace {

std::string_view noteOf(FlatOrigin origin) {
  switch (origin) {
  case FlatOrigin::Written:
    return "";
  case FlatOrigin::Assigned:
    return "assigned by device code";
  case FlatOrigin::Argument:
    return "an argument";
  case FlatOrigin::Kept:
    return "kept over a call";
  case FlatOrigin::Result:
    return "a call's result";
  case FlatOrigin::HostPart:
    return "the host's part of a call";
  case FlatOrigin::Meeting:
    return "values of the host meet";
  case FlatOrigin::Lost:
    return "no thread keeps values";
  }
  return "";
}

// Collects what a spawn refers to, in the order in which it does.
class Uses {
public:
  explicit Uses(const FlatSpawn& spawn) {
    for (const FlatSuperstep& step : spawn.supersteps) {
      for (const FlatItem& item : step.items) {
        if (item.stmt)
          add(item.stmt);
        else
          for (Stmt* s : item.require->body)
            add(s);
      }
      if (step.test)
        add(step.test->value);
    }
    add(spawn.size);
  }

  std::vector<const Variable*> host; // those that it does not declare
  std::vector<const Function*> functions;

private:
  void add(Stmt* s) {
    visitStmt(s, [&](Stmt* at) {
      if (at->kind == Stmt::Decl)
        seen_.insert(at->variable);
      for (Expr* e : {at->expr, at->target, at->value, at->step})
        add(e);
      return true;
    });
  }

  void add(Expr* e) {
    visitExpr(e, [&](Expr* at) {
      if (at->kind == Expr::Var && at->variable->side == Side::Host && !isParameter(at->variable) &&
          seen_.insert(at->variable).second)
        host.push_back(at->variable);
      if (at->kind == Expr::Call && at->function->side == Side::Device && seen_.insert(at->function).second)
        add(at->function);
      return true;
    });
  }

  void add(const Function* f) {
    functions.push_back(f);
    parameters_.insert(f->params.begin(), f->params.end());
    add(f->body);
  }

  bool isParameter(const Variable* v) const { return parameters_.count(v); }

  std::unordered_set<const void*> seen_;
  std::unordered_set<const Variable*> parameters_; // of functions: a host variable may be one by reference
};

class Writer {
public:
  Writer(const FlatProgram& flat, const SourceManager& sources) : flat_(flat), sources_(sources) {}

  std::string run() {
    for (const auto& spawn : flat_.spawns) {
      if (!host_names_.count(spawn->function))
        nameParameters(*spawn->function);
      write(*spawn);
    }
    return std::move(out_);
  }

private:
  sema::Names& namesOf(const Function& host) { return host_names_[&host]; }

  void nameParameters(const Function& host) {
    for (const Variable* v : host.params)
      namesOf(host).of(v, v->name);
  }

  void write(const FlatSpawn& spawn) {
    Uses uses(spawn);
    sema::TreeText to(out_, sources_, spawn.range.begin, functions_);
    sema::Names& outside = namesOf(*spawn.function);
    for (const Variable* v : uses.host)
      outside.of(v, v->name);
    sema::Names inside(&outside);
    to.use(inside);
    to.line(fmt::format("spawn in {}: {} threads, rank {}, block {}, width {}{}", spawn.function->name,
                        to.text(spawn.size), typeName(spawn.rank_type), spawn.block, spawn.width,
                        spawn.is_partition ? ", partition" : ""),
            spawn.range);
    to.indent();
    for (const Variable* v : uses.host)
      to.line(declared(to, *v));
    for (size_t k = 0; k < spawn.supersteps.size(); ++k)
      superstep(to, spawn.supersteps[k], k + 1, k + 1 == spawn.supersteps.size());
    to.unindent();
    for (const Function* f : uses.functions)
      if (written_.insert(f).second)
        function(*f, outside);
  }

  // Constants are printed with their values.
  static std::string declared(sema::TreeText& to, const Variable& v) {
    constexpr size_t kShown = 16;
    if (v.kind != Variable::Constant)
      return (v.kind == Variable::Global ? "global " : "host ") + to.declared(&v);
    const Type* scalar = v.type;
    while (scalar->element && !scalar->isPointer())
      scalar = scalar->element;
    std::string values;
    for (size_t i = 0; i < std::min(kShown, v.constants.size()); ++i)
      values += (i ? ", " : "") + (scalar->isScalar() ? sema::numberText(scalar, v.constants[i])
                                                      : fmt::format("{}", v.constants[i].integer));
    return fmt::format("const {} = {{{}{}}}", to.declared(&v), values, v.constants.size() > kShown ? ", ..." : "");
  }

  static std::string_view kindOf(const FlatSuperstep& step) {
    return step.reassigned   ? " (ranks reassigned)"
           : step.renumbered ? " (ways meet, with ranks of their own)"
           : step.meets      ? " (ways meet)"
                             : "";
  }

  void superstep(sema::TreeText& to, const FlatSuperstep& step, size_t number, bool last) {
    to.line(fmt::format("superstep {}{}", number, kindOf(step)), {step.first, step.first},
            step.last ? fmt::format("to line {}", sources_.at(step.last).line) : "");
    to.indent();
    for (uint32_t scope : step.ended_rounds)
      to.line(fmt::format("end round, scope {}", scope));
    for (const Expr* place : step.snapshots)
      to.line("snapshot " + to.text(place));
    for (const FlatItem& item : step.items) {
      if (item.stmt)
        to.statement(item.stmt, noteOf(item.origin));
      else
        require(to, *item.require, noteOf(item.origin));
    }
    for (uint32_t scope : step.freed_scopes)
      to.line(fmt::format("free scope {}", scope));
    ways(to, step, number, last);
    to.unindent();
  }

  // Prints the edges, unless they only lead to the next superstep.
  static void ways(sema::TreeText& to, const FlatSuperstep& step, size_t number, bool last) {
    auto name = [](uint32_t to) { return fmt::format("superstep {}", to + 1); };
    if (!step.test) {
      if (step.next.empty() && !last)
        to.line("end");
      else if (!step.next.empty() && step.next[0] != number)
        to.line("to " + name(step.next[0]));
      return;
    }
    std::string text;
    for (size_t i = 0; i < step.test->values.size(); ++i)
      text += fmt::format("{}: {}, ", step.test->values[i], name(step.next[i]));
    to.line(fmt::format("test {} -> {}else: {}", to.text(step.test->value), text, name(step.next.back())),
            step.test->range);
  }

  static void require(sema::TreeText& to, const FlatRequire& require, std::string_view note) {
    to.line(fmt::format("require {}{}", require.id, require.scope ? fmt::format(", scope {}", require.scope) : ""),
            require.range, note);
    to.indent();
    for (const Stmt* s : require.body)
      to.statement(s);
    to.unindent();
  }

  void function(const Function& f, sema::Names& outside) {
    sema::TreeText to(out_, sources_, f.range.begin, functions_);
    sema::Names inside(&outside);
    to.use(inside);
    to.function(f);
  }

  const FlatProgram& flat_;
  const SourceManager& sources_;
  std::string out_;
  sema::Names functions_;
  std::unordered_map<const Function*, sema::Names> host_names_;
  std::unordered_set<const Function*> written_;
};

} // namespace

std::string text(const FlatProgram& flat, const SourceManager& sources) {
  return Writer(flat, sources).run();
}

} // namespace bsgp::expand
