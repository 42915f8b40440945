// The state of the check of one function instance. Constructs are free functions over it: each file expr_*.h, stmt_*.h, ... declares
// those of one construct.
//
// Body has five parts. Mode says where in the function the check is; LocalNames holds the variables in scope; Flow holds the control flow
// around the place, and the collectives in it that are judged at the end; Result says how the result's type is found; `kept` collects
// declarations that the statement being checked needs in front of it.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "sema/constructs.h"
#include "sema/host_writes.h"
#include "sema/services.h"

namespace bsgp::sema {

// The extents and places of a spawn (w, h) or (w, h, d): grid.h.
struct Grid {
  size_t dimensions = 0;
  Variable* extents[ast::kMostExtents] = {}; // host variables
  Variable* places[ast::kMostExtents] = {};  // locals of each thread
};

// The place in the function that is being checked. What enters a spawn, a require or a loop saves it as a whole (Restored).
struct Mode {
  Side side = Side::Host;
  const Type* rank_type = nullptr; // null in host code; else the type of thread.rank, in requires too
  const Grid* grid = nullptr;      // null, or of the spawn of several dimensions around
  uint32_t block = 0;              // threads of a full block of the spawn around
  bool in_spawn = false;           // in a spawn's text: device code or its requires
  bool alone = false;              // in a spawn of one thread
  bool in_require = false;
  bool in_par = false;
  const ast::Stmt* wavefront = nullptr; // the innermost one around
  bool in_round = false;                // in an iteration of a loop that is written out, and in no other loop
  unsigned loops = 0, switches = 0;     // around, up to the next spawn, require or par
  unsigned unevaluated = 0;             // depth of typeof, sizeof around: only the type counts
  const ast::Expr* unused = nullptr;    // the statement being checked, or a returned value that no caller uses
};

// Restores a value at the end of the scope.
template <class T> class Restored {
public:
  explicit Restored(T& value) : value_(value), before_(value) {}
  ~Restored() { value_ = std::move(before_); }
  Restored(const Restored&) = delete;

private:
  T& value_;
  T before_;
};

// The names in scope, and those whose scope has ended, for messages.
struct LocalNames {
  struct Ended {
    const Variable* variable;
    const char* with; // the construct that ended its scope
  };
  struct Head { // a name that a loop's head declared
    std::string_view name;
    const Variable* variable;
    size_t depth; // number of scopes around the loop
  };

  std::unordered_map<std::string_view, std::vector<std::pair<size_t, Symbol>>>
      symbols;                           // innermost last, with the depth of its scope
  std::vector<std::string_view> visible; // in the order of their declarations
  std::vector<size_t> marks;             // where each open scope begins in `visible`
  std::unordered_map<std::string_view, Ended> ended;
  std::vector<Head> heads; // of scopes that are open
  std::unordered_map<std::string_view, const Variable*> ended_heads;
};

// A condition around the place being checked.
struct Enclosing {
  const Expr* condition; // null: the operand of a short circuit whose condition is `range`
  SourceRange range;
  Construct construct;
  const Stmt* loop = nullptr;         // the loop whose condition it is
  bool negated = false;               // the place is where the condition does not hold
  Stmt* made = nullptr;               // the if, loop or switch
  bool in_par = false;                // it stands in an arm of a par
  bool by_text = false;               // the host runs it, by its text
  SourceRange parted_by{};            // a break or continue of its own that some threads take alone
  const ast::Expr* written = nullptr; // the condition of an if
  bool tests = false;                 // the place runs in each iteration, but does not stand in the loop's body
  bool inExpression() const { return isOfExpression(construct); }
  bool inArm() const { return construct == Construct::Choice; }
  bool isAsm() const { return construct == Construct::Asm; }
  const Expr* tested() const { return loop ? loop->expr : condition; }
};

// A barrier, or a call that contains one, in control flow. It is judged when the whole function or spawn has been read.
struct Misplaced {
  const char* what;
  SourceRange range;
  size_t returns; // number of Flow::returns before it
  std::vector<Enclosing> around;
  std::vector<std::string> instead; // insteadOf
  bool in_flow = false;             // some condition around it differs between threads
  std::string help{};               // where a condition differs; empty: wayOut
  bool follows = false;             // of a local that lives with the host for the sake of other collective code
};

struct Flow {
  std::vector<Enclosing> enclosing;
  std::vector<Misplaced> misplaced;
  std::unordered_set<const Variable*> moved; // locals of device code that live with the host
  std::vector<SourceRange> returns;          // of device code
  bool returned_alone = false;               // one of them stands in no control flow of the host's
  bool saw_block_sync = false;               // in this function, or this spawn
  SourceRange refused_in_wavefront{};        // the last place that was reported
  const HostLocals* host_locals = nullptr;   // of the function's text
};

struct ResultType {
  bool deduced = false;               // of a function that returns 'auto'
  bool is_status = false;             // main without a type: return; gives 0
  SourceRange return_without_value{}; // the return that made the result of an 'auto' function void
};

struct Body {
  Body(Sema& sema, Function& function, Body* caller)
      : sema(sema), function(function), scope(scopeOf(sema, function.range)), caller(caller) {}

  Sema& sema;
  Function& function;
  const Scope scope;   // of its text
  Body* const caller;  // null: none
  SourcePos begin = 0; // of the function's text
  Mode mode;
  LocalNames names;
  Flow flow;
  ResultType result;
  std::vector<Stmt*> kept; // declarations of what the statement's expressions keep
  size_t rounds = 0;       // iterations so far of the loop that is written out here, and of those in it
};

// Makes the value that stands for an expression with an error. It has the type 'error', which silences further messages.
inline Expr* error(Body& body, SourceRange range) {
  return body.sema.nodes.make(Expr::Constant, body.sema.types.error, range);
}

// Reports an error and gives error(range).
template <class... Args> Expr* fail(Body& body, Diag kind, SourceRange range, const Args&... args) {
  body.sema.diag.report(kind, range, args...);
  return error(body, range);
}

inline bool onDevice(const Body& body) {
  return body.mode.side == Side::Device;
}

// True where warnings are due (warnings.h): in the program's own text, where it is evaluated.
inline bool warns(const Body& body) {
  return body.scope == Scope::Program && !body.mode.unevaluated;
}

constexpr const char* kIntoSpawn =
    "put it inside 'spawn (n) { ... }'"; // where something collective stands in host code
constexpr const char* kIntoDeclaration =
    "declare a variable with it; a vector or a struct may also be written type(a, b, ...)";
constexpr const char* kIntoVariable = "put it in a variable first"; // for values that have no address
constexpr const char* kInRequire = "call it in a 'require'";        // for host functions
constexpr const char* kAllocated = "allocate larger or varying ones with new or dnew"; // for sizes of arrays
constexpr const char* kEndOfProgram = "write assert(false, \"why\") to end the program; return ends the thread";
constexpr const char* kCallThatGets = "a call of a function that gets or puts";
constexpr const char* kBraces = "the braces in which it began"; // ends of scopes, for messages
constexpr const char* kLoop = "the loop";
constexpr uint64_t kMostCaptured = 64; // numbers of a host variable that are passed to device code by value

} // namespace bsgp::sema
