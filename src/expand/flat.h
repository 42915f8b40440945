// The flat program: each spawn as supersteps and the edges between them. Collective functions are inlined, par arms
// merged, every require numbered, every read of a host variable in device code bound to the version it sees.
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
  uint32_t scope = 0;      // 0: the enclosing function; else freed after some superstep (FlatSuperstep::freed_scopes).
                           // The memory that initialises a variable of a loop's body has the iteration's scope
                           // (Expr::index)
  SourceRange called_at{}; // as FlatItem::called_at
  struct FlatTest* test = nullptr; // the test whose code it is; then it stands nowhere
};

// Why a statement or require stands in a superstep.
enum class FlatOrigin : uint8_t {
  Written,  // in the program, or in a collective function that it calls
  Assigned, // written as device code that gives a host variable its value
  Argument, // of a collective call: the parameter with its value
  Kept,     // a value of before a collective call behind it in the same expression
  Result,   // of a collective call
  HostPart, // a value that a collective call takes or gives, which the host computes
  Meeting,  // no code: edges with different values of host variables lead here
  Lost,     // no thread.oldrank is set: no thread keeps values
};

struct FlatItem {
  Stmt* stmt = nullptr;           // device statement, or
  FlatRequire* require = nullptr; // the place where a require stands
  FlatOrigin origin = FlatOrigin::Written;
  SourceRange called_at{}; // where the program calls the library, if it is of a collective of that
};

// A value that the host computes after a superstep's launch to choose the superstep that comes next.
struct FlatTest {
  Expr* value = nullptr; // host expression: bool, i32 or i64
  std::vector<int64_t>
      // edge i is taken if the value is values[i]; the last edge, which has none, if it is none of them
      values;
  SourceRange range{}; // of the condition
  SourceRange called_at{};
  FlatRequire* code = nullptr; // computes it into `result`; one of FlatSpawn::requires_
  Variable* result = nullptr;  // of the host
};

// Control goes from superstep to superstep, and each edge is a barrier: it leads to the beginning of a superstep. The
// numbers here are positions in FlatSpawn::supersteps. Every edge leads to a later superstep or back to one that
// every path from the first superstep to here has passed (the head of a loop).
struct FlatSuperstep {
  std::vector<FlatItem> items;
  bool reassigned = false;            // begins after barrier(RANK_REASSIGNED)
  bool meets = false;                 // several edges lead here; then it is not `reassigned`
  bool renumbered = false;            // meets, and the ranks on its edges need not be of one numbering
  SourcePos first = 0, last = 0;      // its range in the text
  std::vector<uint32_t> ended_rounds; // scopes that are freed before the rest of it runs
  std::vector<uint32_t> freed_scopes; // after its launch
  // Lvalues (as in Expr::Get's b) that this superstep reads with thread.get; irgen makes a snapshot of each.
  std::vector<Expr*> snapshots;
  FlatTest* test = nullptr;   // null: there is one edge at most
  std::vector<uint32_t> next; // the edges; none: the spawn ends behind it
};

struct FlatSpawn {
  SourceRange range{};
  Function* function = nullptr; // host function that holds it
  Expr* size = nullptr;         // host expression of rank type
  const Type* rank_type = nullptr;
  uint32_t block = kDefaultBlock;
  uint32_t width = 0; // as Stmt::width
  bool is_partition = false;
  std::vector<FlatSuperstep> supersteps;
  std::vector<FlatRequire*> requires_;
};

struct FlatProgram {
  std::unique_ptr<Program> program;
  std::vector<std::unique_ptr<FlatSpawn>> spawns; // Stmt::flat points here
};

} // namespace bsgp
