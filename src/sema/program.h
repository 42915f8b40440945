// The typed program, which sema hands to expand. Names are resolved, conversions explicit, generic functions
// instantiated, every expression has a type. expand rewrites the bodies of spawns (collectives gone) in the same
// vocabulary.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "parse/ast.h"
#include "sema/types.h"
#include "support/arena.h"

namespace bsgp {

struct Expr;
struct Stmt;
struct Function;
struct FlatSpawn; // expand/flat.h

enum class Side : uint8_t { Host, Device };

constexpr uint32_t kDefaultBlock = 256, kLargestBlock = 1024; // threads
constexpr uint32_t kMostLanes = 32;                           // of a vector
constexpr uint32_t kWarp = 32;                                // threads, on every target

// A compile-time number: an element of a constant table, the value of a constant expression.
struct ConstValue {
  int64_t integer = 0;                    // Bool, Int (unsigned as its bits)
  double floating = 0;                    // Float
  const std::string_view* text = nullptr; // a pointer to it, with a 0 behind; null: a null pointer
};

struct Variable {
  std::string_view name;
  const Type* type;
  SourceRange range;
  enum Kind : uint8_t {
    Local,    // of a host function (or of a spawn's requires) or of device code, by `side`
    Global,   // host, static storage
    Constant, // file-scope const: readable everywhere, `constants` holds its scalars in memory order
    Shared,   // of a block, by side Device; an array or variable for each place where its declaration is expanded
  } kind = Local;
  Side side = Side::Host;
  bool by_reference = false; // parameter: stands for the argument's lvalue
  bool is_const = false;
  bool by_assignment = false; // its first assignment declares it, which writes no type
  bool address_taken = false; // host: may change behind any call
  // parameter of a collective, by side Host: it has a value of its own, which changes
  bool is_assigned = false;
  bool is_kept = false;                // of the compiler's own: a value for later in its statement
  bool of_grid = false;                // an extent of a spawn, or a place in it: never negative
  bool is_extern = false;              // Global defined elsewhere, C linkage
  bool of_tile = false;                // Shared, on a GPU: one for all blocks of a tile (__per_tile)
  std::string symbol{};                // Global, Constant
  std::vector<ConstValue> constants{}; // Global, Constant: one per scalar; empty: all zero
};

// Operations that are not functions of the library.
enum class Builtin : uint8_t {
  // math: one float scalar or two/three, exact or correctly rounded, an LLVM intrinsic each
  Sqrt,
  Floor,
  Ceil,
  Trunc,
  RoundEven,
  Fabs,
  CopySign,
  Fma,
  // bits: integers; BitCast between types of one size (float_as_int, ...)
  PopCount,
  LeadingZeros,
  TrailingZeros,
  BitReverse,
  ByteSwap,
  BitCast,
  MulHigh,
  // host and device
  Printf, // args[0] a StringLit, then scalars and pointers (already promoted: ints to 64 bits, floats to f64)
  Assert, // a; text: the condition as written, or the program's text for it
  Uses,   // args[0]: a value that the code behind uses, in code that watches itself; of no value
  // From here on: of one side only.
  // device: synchronization and memory; a = pointer, b = value, c = the desired value of AtomicCas
  BlockSync,
  MemoryFence,
  AtomicAdd,
  AtomicMin,
  AtomicMax,
  AtomicAnd,
  AtomicOr,
  AtomicXor,
  AtomicExchange,
  AtomicCas,
  AtomicLoad,
  AtomicStore,
  StoreStream,
  Prefetch,
  // device, on a CPU only: appending in the order of ranks. a = pointer that leads to a bsgp_append
  Append,     // b = a scalar, c = bool: whether the thread appends it
  AppendTake, // b = bytes (i64); gives the address (i64) of memory for them
  // device: a warp, on a GPU only
  WarpShuffle, // a = value, b = lane, 0 to 31
  WarpBallot,  // a = bool
  WarpSync,
  TileRank, // of the blocks that one block of the GPU runs: the number of this one, their count, the tile's number
  TileSize,
  TileId,
  // on a GPU: args = outputs, then inputs; index: how many outputs; text as LLVM has it; c: a String of the constraints
  // with commas between; value.integer: it has effects beside its outputs
  Asm,
  // host
  WorkerCount,
  New,
  Dnew,
  DtempNew, // a = count (i64); type = pointer to the element
  Delete,
  Dfree,        // a = pointer
  Copy,         // args: dst, src, count (i64); dst/src are pointers
  Peek,         // a = pointer to device, b = number of the element (i64)
  Poke,         // likewise, c = its new value
  DListResize,  // a = dlist lvalue, b = count (i64)
  DListReserve, // likewise
  DListAppend,  // a = dlist lvalue, b = the new element
  DListDetach,  // a = dlist lvalue: its memory, which it gives up
  DListSwap,    // a, b = dlist lvalues of one type
  DListRoom,    // a = dlist lvalue: its capacity (i64)
  // device, gone after expand
  Restate, // a: an Assign of the target's present value; left out if a put lands on the target
};

inline bool changesDList(Builtin builtin) {
  return builtin >= Builtin::DListResize && builtin <= Builtin::DListSwap;
}

struct Expr {
  enum Kind : uint8_t {
    Constant, // value
    String,   // text; type: pointer to i8, host
    Null,     // of its pointer type
    Var,      // variable; lvalue (a reference parameter stands for the argument)
    Field,    // a.field[index]; lvalue if a is
    Swizzle,  // a.xyz: lanes[0..lane_count); a lvalue if a is, and lanes differ
    Index,    // a[b]: a is a pointer (memory), an array lvalue or a vector; b is an integer; lvalue. Host: a may be a
              // DListData, the place is then the device's and each access to it a copy
    Deref,    // *a; lvalue
    AddrOf,   // &a
    Decay,    // array lvalue a to pointer to its first element
    Neg,
    Not,
    BitNot,  // a (Not: bool)
    Binary,  // op, a, b of one type (shifts: b any integer of a's width; pointers: see PtrAdd). Comparisons give bool
             // (or a vector of bool). Never LogicalAnd/Or/Comma
    PtrAdd,  // pointer a + integer b (elements); op Add or Sub
    PtrDiff, // a - b in elements, i64
    LogicalAnd,
    LogicalOr,      // a, b bool
    Conditional,    // a ? b : c; b and c of one type
    Comma,          // a, b
    Assign,         // a = b; value: the new a
    CompoundAssign, // a op= b: computed in type `compute` (a converted to it, b has it), converted back; pointer += int
                    // pointer += int too
    IncDec,         // ++ -- on lvalue a: op Add/Sub, prefix
    Cast,           // a to type: arithmetic, pointer to pointer (one space), pointer to/from i64, vector lane by lane
    Construct,      // args: of a struct or array one per element/field, of a vector its lanes or parts; one: splat
    Call,           // function(args): by-reference parameters get lvalues
    BuiltinCall,    // builtin
    ThreadRank,     // rank type
    ThreadSize,     // rank type; in a require an lvalue too
    BlockRank,      // int
    BlockSize,      // int
    BlockId,        // rank type
    WarpRank,       // int
    WarpId,         // int
    WarpSize,       // int
    Get, // thread.get(a, b): b is a Var of this spawn's device code or a Field/Swizzle-of-one/constant Index of it
    DListData,  // a = dlist lvalue: pointer to device
    DListCount, // a = dlist lvalue: i64, or i32, which fails if the count does not fit
  } kind;
  const Type* type = nullptr;
  SourceRange range{};
  ast::BinaryOp op{};
  Builtin builtin{};
  bool prefix = false;         // IncDec
  bool is_const = false;       // a place, seen through a reference to const: `text`
  bool by_place = false;       // Get: a is made of the places of threads, whose ranks then are still those of the spawn
  bool strict = false;         // of a function whose arithmetic is done as written: nothing fused, no other algebra
  bool of_library = false;     // BuiltinCall that allocates memory: it stands there
  mutable bool varies = false; // Binary, LogicalAnd, LogicalOr: found to be no number at compile time (constantValue)
  uint8_t lane_count = 0;
  uint8_t lanes[4] = {};
  uint32_t index = 0; // Field; Var in device code of a flat program naming a host variable: its version (flat.h);
                      // BuiltinCall of DtempNew in a flat program: its iteration's scope (flat.h), or 0
  ConstValue value{};
  std::string_view text{};
  Variable* variable = nullptr;
  Function* function = nullptr;
  Function* on_host = nullptr; // Call in device code whose value the host can compute: its instance for host code
  const Type* compute = nullptr;
  Expr* a = nullptr;
  Expr* b = nullptr;
  Expr* c = nullptr;
  std::span<Expr*> args{};
};

// True if it gives its a another value: a = b, a op= b, a++.
inline bool isAssignment(const Expr& e) {
  return e.kind == Expr::Assign || e.kind == Expr::CompoundAssign || e.kind == Expr::IncDec;
}

constexpr uint32_t kUnrollAll = UINT32_MAX;

struct SwitchCase {
  int64_t value;
  bool is_default;
  uint32_t first; // index of its first statement in the switch's stmts
};

struct Stmt {
  enum Kind : uint8_t {
    Expr,     // expr
    Decl,     // variable, expr = initializer or null. Without: lists are empty, all else is undefined
    Block,    // stmts; a scope
    Sequence, // stmts; no scope (par, require, several declarators)
    If,       // expr, body, otherwise
    Loop,     // for/while/do: init, expr (or null: forever), step, body; test_last for do
    Switch,   // expr (i64 or i32), stmts, cases: C's fall-through
    Break,
    Continue,
    Return,     // expr or null
    Spawn,      // expr = size (rank type), body; flat once expanded
    Barrier,    // reassigned
    Require,    // body: host code
    Par,        // stmts: the arms
    HostAssign, // a host variable gets a uniform value from device code: expr is the Assign; expand makes a require of
                // it; variable: the host variable that this declares, or null
    OldRank,    // thread.oldrank = expr
    Put,        // thread.put(rank = expr, lvalue = target, value)
    Inlined,    // stmts, made by expand: a return in them assigns to variable (null: none) and leaves the stmts
  } kind;
  SourceRange range{};
  bsgp::Expr* expr = nullptr;
  bsgp::Expr* target = nullptr;
  bsgp::Expr* value = nullptr;
  bsgp::Expr* step = nullptr;
  Stmt* init = nullptr;
  Stmt* body = nullptr;
  Stmt* otherwise = nullptr;
  Variable* variable = nullptr;
  std::span<Stmt*> stmts{};
  std::span<SwitchCase> cases{};
  bool test_last = false;
  bool reassigned = false;
  // If, Loop, Switch: it contains a barrier, a require or a collective. The host decides which edge all threads take,
  // and each edge is a barrier. The condition is a host value, or has collectives.
  bool host = false;
  std::string_view assigns{}; // then: the local, assigned in it, that alone makes it the host's; or none
  bool by_place = false;      // Put: as Expr::by_place
  uint32_t block = 0;         // Spawn: threads in a block
  uint32_t width = 0;         // Spawn: threads that run at once on a CPU; 0: not asked for
  bool is_partition = false;  // Spawn: its supersteps run block by block
  uint32_t unroll = 0;        // Loop: how many times; 0: not asked for
  bool is_wavefront = false;  // Loop: other threads take the places of those that have left it
  FlatSpawn* flat = nullptr;  // Spawn
};

// One instance of a function: for its parameter types, its function arguments and its side.
struct Function {
  std::string_view name;
  std::string symbol; // link name of host functions; exports and externs: the plain name
  SourceRange range{};
  Side side = Side::Host;
  ast::Family family = ast::Family::Plain;
  std::vector<Variable*> params; // those that exist at run time
  const Type* result = nullptr;
  Stmt* body = nullptr;                                      // null: extern
  bool isInternal() const { return name.starts_with("__"); } // of the library, no name for messages
  bool is_extern = false, is_variadic = false, is_export = false, is_main = false;
  bool syncs_block = false;  // contains block.sync, or calls a function that does
  bool syncs_warp = false;   // contains warp.shuffle or its like, or calls a function that does
  bool collective = false;   // contains barrier, require, par, get or put: expanded into its callers, never emitted
  bool synchronizes = false; // collective, and not for its gets and puts alone
  bool host_result = false;  // collective whose result is a host value
  bool has_spawn = false;    // host: contains a spawn itself
  bool uses_temps = false;   // host: dtempnew or lists in it
  bool may_return_nothing = false; // true if it can end without a value although it has a result
  bool result_used = true;         // false: an instance for calls whose value is not used, if it asks by __is_used()
  std::vector<Variable*> locals{}; // host: every local of its body and of its spawns' requires, in order of declaration
};

// A fact that may be surprising and is no mistake: for --remarks.
struct Remark {
  SourceRange range;
  std::string text;
};

struct Program {
  Arena arena;
  TypeTable types;
  std::vector<Function*>
      functions; // host functions to emit (instances in order of first use); no externs, no collectives
  std::vector<Variable*> globals;   // Global and Constant that are used
  std::vector<const Type*> structs; // in order of definition: for the header
  Function* main = nullptr;
  std::vector<Remark> remarks; // of expand
  // functions of the library that --check watches in a special manner
  std::vector<std::pair<SourceRange, Watch>> watched;
  std::vector<std::string> libraries; // with extern functions of the program, each once: names as after -l of a linker
};

} // namespace bsgp
