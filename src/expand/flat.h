// The flat program: each spawn as a straight line of supersteps. Collective functions are inlined, par arms merged,
// every require numbered, every read of a host variable in device code bound to the version it sees.
#pragma once

#include <vector>

#include "sema/program.h"

namespace bsgp {

// Host code that runs before its superstep. Versions: a host variable read in device code carries in Expr::index the
// number (1 + id) of the last require, textually before it, that may have changed the variable; 0: its value at the
// spawn.
struct FlatRequire {
  uint32_t id = 0; // position in FlatSpawn::requires_
  SourceRange range{};
  std::vector<Stmt*> body; // host statements; dtempnew in it takes `scope`
  uint32_t scope = 0;      // 0: the enclosing function; else freed after some superstep (FlatSuperstep::freed_scopes)
};

// Why a statement or require stands in a superstep.
enum class FlatOrigin : uint8_t {
  Written,  // in the program, or in a collective function that it calls
  Assigned, // written as device code that gives a host variable its value
  Argument, // of a collective call: the parameter with its value
  Kept,     // a value of before a collective call behind it in the same expression
  Result,   // of a collective call
  HostPart, // a value that a collective call takes or gives, which the host computes
  Lost,     // no thread.oldrank is set: no thread keeps values
};

struct FlatItem {
  Stmt* stmt = nullptr;           // device statement, or
  FlatRequire* require = nullptr; // the place where a require stands
  FlatOrigin origin = FlatOrigin::Written;
};

struct FlatSuperstep {
  std::vector<FlatItem> items;
  bool reassigned = false;            // begins after barrier(RANK_REASSIGNED)
  SourcePos first = 0, last = 0;      // what it spans in the text
  std::vector<uint32_t> freed_scopes; // after its launch
  // Lvalues (as in Expr::Get's b) that the next superstep reads with thread.get; irgen makes a snapshot of each.
  std::vector<Expr*> snapshots;
};

struct FlatSpawn {
  SourceRange range{};
  Function* function = nullptr; // host function that holds it
  Expr* size = nullptr;         // host expression of rank type
  const Type* rank_type = nullptr;
  uint32_t block = kDefaultBlock;
  uint32_t width = 0; // as Stmt::width
  std::vector<FlatSuperstep> supersteps;
  std::vector<FlatRequire*> requires_;
};

struct FlatProgram {
  std::unique_ptr<Program> program;
  std::vector<std::unique_ptr<FlatSpawn>> spawns; // Stmt::flat points here
};

} // namespace bsgp
