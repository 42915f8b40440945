// One walk over a function or a spawn, for block_flow.cpp (statements) and block_values.cpp (expressions).
#pragma once

#include <algorithm>

#include <fmt/format.h>

#include "sema/block_flow.h"
#include "sema/constructs.h"

namespace bsgp::sema {

class BlockFlowWalk {
public:
  BlockFlowWalk(BlockFlow& flow, const Function* function); // null: a spawn
  BlockSummary run(const Stmt* body, bool report);
  Uniformity answer(const FlowQuestion& question); // after run

private:
  // Something that decides which threads come by.
  struct Condition {
    Uniformity when;
    Construct construct{}; // of a loop that can be left otherwise: the jump
    bool reported = false;
  };
  struct Target {                       // of break and continue
    const Stmt* loop;                   // null: a switch
    size_t first_condition, first_jump; // inside of it
  };

  // block_flow.cpp
  void pass(const Stmt* body);
  void statement(const Stmt* s);
  void statements(std::span<Stmt* const> list);
  void loop(const Stmt& s);
  void switchStmt(const Stmt& s);
  void jump(const Stmt& s);
  void returnStmt(const Stmt& s);
  void renumber();
  static void join(Uniformity& to, const Uniformity& from);
  Uniformity control(size_t first_condition = 0, size_t first_jump = 0) const;
  void leaveLoop(const Stmt* loop, const Uniformity& when, Construct jump);
  void addJump(Uniformity when, Construct jump, SourceRange range);
  void dropJumps(Construct construct);
  void synchronize(SourceRange range, const std::string& what, bool warps_alone = false);
  void report(const Condition& condition, bool jump, SourceRange range, const std::string& what);

  // block_values.cpp
  Uniformity value(const Expr* e);
  Uniformity parts(const Expr* e);
  Uniformity differs(Difference::Root root, SourceRange where, std::string_view name = "");
  Uniformity variable(const Expr* e);
  Uniformity memory(const Expr* e);
  Uniformity guarded(const Expr* e);
  Uniformity call(const Expr* e);
  Uniformity atCall(const Uniformity& inside, const std::vector<Uniformity>& arguments, const Expr* e);
  void checkNeeds(const BlockSummary& summary, const std::vector<Uniformity>& arguments, const Expr* e);
  Uniformity builtin(const Expr* e);
  void assign(const Variable* v, Uniformity value, SourceRange range);
  void assignPlace(const Expr* place, Uniformity value, SourceRange range);

  BlockFlow& flow_;
  const Function* function_;
  BlockSummary summary_;
  std::unordered_map<const Variable*, Uniformity> variables_;
  std::unordered_map<const Variable*, unsigned> numbering_of_definition_; // under which numbering of the threads
  std::unordered_map<const Stmt*, Condition> loops_;                      // whether all threads leave it together
  std::vector<Condition> conditions_;                                     // around this place, outermost first
  std::vector<Condition> jumps_; // passed, by which threads may have left for a place further on
  std::vector<Target> targets_;
  std::vector<const Stmt*> wavefronts_; // that all threads enter together
  unsigned generation_ = 0;
  bool changed_ = false, reporting_ = false;
};

} // namespace bsgp::sema
