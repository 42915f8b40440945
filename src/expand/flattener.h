// One spawn to supersteps: statements in order, collectives inlined where they are called, par arms side by side.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "diag/diagnostics.h"
#include "expand/clone.h"
#include "expand/expand.h"

namespace bsgp::expand {

class Flattener {
public:
  Flattener(Program& program, Function& host, FlatSpawn& spawn, const Options& options, Diagnostics& diag)
      : program_(program), host_(host), spawn_(spawn), options_(options), diag_(diag) {}

  bool run(Stmt* body); // fills spawn.supersteps and spawn.requires_

private:
  using Steps = std::vector<FlatSuperstep>;
  struct Way { // that is still to lead somewhere: `next[slot]` of a superstep
    size_t step, slot;
  };
  using Ways = std::vector<Way>;
  struct Target { // of break and continue: a loop or switch of the host's
    bool is_loop;
    Ways breaks, continues;
    uint32_t scope = 0; // of the memory of its iterations; 0: none yet
  };
  struct Returns {                      // of the spawn, or of a call that is being inlined
    Variable* result = nullptr;         // where its value goes
    Ways ways;                          // of the host's returns
    std::vector<uint32_t> ended_rounds; // scopes of the loops that they leave
  };

  // flattener.cpp
  void statement(Stmt* s);
  void body(std::span<Stmt*> list, Variable* result); // a function's or spawn's own statements: may return
  // thread_flow.cpp
  Stmt* inThread(Stmt* s);
  void threadFlow(Stmt* s);
  // flattener.cpp
  void add(Stmt* s, FlatOrigin origin = FlatOrigin::Written);
  void addRequire(std::vector<Stmt*> code, SourceRange range, FlatOrigin origin = FlatOrigin::Written);
  void barrier(Stmt* s);
  bool landsAtLastBarrier(const Expr* place) const;
  void par(Stmt* s);
  void checkArms(const std::vector<Steps>& arms, Stmt* s);
  // host_flow.cpp
  Way leave();
  void land(const Ways& ways, bool reassigned = false);
  void landWith(Ways ways);
  Ways test(Expr* condition, std::vector<int64_t> values);
  Stmt* asHostCode(Stmt* s);
  void hostFlow(Stmt* s);
  void hostIf(Stmt* s);
  void hostLoop(Stmt* s);
  void endRound(Stmt* s, size_t head);
  void hostSwitch(Stmt* s);
  void declareFirst(std::span<Stmt*> list);
  void hostStep(Expr* e);
  void hostJump(Stmt* s);
  Ways& waysOf(const Stmt* jump);
  bool jumpsAtOnce(const Stmt* arm, Way way);
  void hostReturn(Stmt* s);
  void endSpawn();
  void takeByRounds(Stmt* code);
  void endRounds(std::span<const uint32_t> scopes);
  void span(SourceRange range);
  SourceRange callOfLibrary() const;
  // inline.cpp
  Expr* hoist(Expr* e);
  Expr* hoistParts(Expr* e);
  Expr* keepValue(Expr* e);
  // assigned_places.cpp
  void keepAssigned(Expr* e);
  Expr* stabilize(Expr* place, const std::function<bool(Expr*)>& keeps);
  // inline.cpp
  Expr* inlineCall(Expr* call);
  void bindParameter(Cloner& cloner, Variable* param, Expr* argument, bool aliases);
  Expr* finish(Function& callee, Cloner& cloner, std::vector<Stmt*>& list, SourceRange range);
  Expr* guardDivisions(Expr* e);
  Expr* hostTemporary(Expr* value, std::string_view name);
  bool withinLimits(Expr* call);
  std::string chainText() const;

  Variable* variable(std::string_view name, const Type* type, SourceRange range, Side side);

  Program& program_;
  sema::Nodes nodes_{program_.arena};
  Function& host_;
  FlatSpawn& spawn_;
  const Options& options_;
  Diagnostics& diag_;
  Steps* steps_ = nullptr;
  uint32_t scope_ = 0, scopes_ = 0;
  size_t made_ = 0; // nodes, by inlining
  bool too_large_ = false;
  std::vector<Expr*> chain_; // the collective calls being inlined
  std::vector<Returns> returns_{Returns{}};
  std::vector<Target> targets_;
  size_t first_target_ = 0; // of the call that is being inlined; those before it are around the call
  bool reached_ = true;     // does some path lead to this place?
};

// versions.cpp: which version of each host variable device code reads; clones device functions that read host
// variables.
void bindVersions(FlatSpawn& spawn, Program& program);
// checks.cpp: thread.get of what did not exist, live values before thread.oldrank, thread.size set elsewhere.
void checkSupersteps(FlatSpawn& spawn, Program& program, Diagnostics& diag);
// repeated_gets.cpp: thread.get in a thread's own loop that was meant to have barriers.
void warnOfRepeatedGets(FlatSpawn& spawn, Diagnostics& diag);

// gets_behind_changes.cpp: thread.get behind scan and its like without a barrier.
void warnOfGetsBehindChanges(FlatSpawn& spawn, Diagnostics& diag);

// gets_of_old_ranks.cpp: thread.get behind thread.sortby and its like without a barrier.
void warnOfOldRanks(FlatSpawn& spawn, Diagnostics& diag);

} // namespace bsgp::expand
