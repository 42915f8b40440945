// The syntax tree, as the parser leaves it: names unresolved, types unchecked. Nodes live in an Arena; spans point
// there too.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string_view>

#include "support/source.h"
#include "support/watch.h"

namespace bsgp::ast {

struct Expr;
struct Stmt;

// ---- types as written
enum class Space : uint8_t { Open, Host, Device, Shared }; // Open: not written, to be inferred

struct TypeExpr {
  enum Kind : uint8_t {
    Named,   // int, unsigned long, float3, S, struct S, enum E  (name: normalized builtin spelling or the user's name)
    Pointer, // inner*
    Array,   // inner[count]; count may be null (deduced from the initializer, or a parameter that decays)
    DList,   // dlist(inner), inner<>
    View,    // inner[,], inner[,,]: extents
    Auto,    // auto
    TypeOf,  // typeof(expr)
    Open,    // a parameter without a type
    Generic, // name(args)
    Number,  // an argument of those that is a constant: count
  } kind;
  SourceRange range;
  std::string_view name;
  TypeExpr* inner = nullptr;
  Expr* count = nullptr;     // Array: element count; TypeOf: the expression
  Space space = Space::Open; // Pointer, View
  bool is_const = false;
  uint8_t extents = 0;         // View: 2 or 3
  std::span<TypeExpr*> args{}; // Generic
};

// ---- expressions
enum class UnaryOp : uint8_t { Plus, Neg, Not, BitNot, Deref, AddrOf, PreInc, PreDec, PostInc, PostDec };
enum class BinaryOp : uint8_t {
  Mul,
  Div,
  Rem,
  Add,
  Sub,
  Shl,
  Shr,
  Lt,
  Gt,
  Le,
  Ge,
  Eq,
  Ne,
  BitAnd,
  BitXor,
  BitOr,
  LogicalAnd,
  LogicalOr,
  Comma,
};
const char* spelling(BinaryOp op);
const char* spelling(UnaryOp op);

struct Expr {
  enum Kind : uint8_t {
    IntLit,
    FloatLit,
    CharLit,
    StringLit,
    BoolLit,
    Null,        // literals
    Name,        // name
    OperatorRef, // binary operator as an argument: apply(+, a, b); op
    Lambda,      // [=](a, b) {...}: the function of that name; args: names in it that may be variables around it
    Unary,       // op, a
    Binary,      // op, a, b
    Assign,      // a = b, or a op= b when has_op
    Conditional, // a ? b : c
    Call,        // a(args): a is a Name or a Thread member or ...
    Construct,   // type(args): float3(1,2,3), int(x)
    Index,       // a[b]; a[b, args]
    Member,      // a.name
    Arrow,       // a->name
    Cast,        // (type)a
    SizeofType,  // sizeof(type)
    SizeofExpr,  // sizeof a
    New,         // new/dnew/dtempnew; a = count or null (one), type; of a view: a, args are its extents
    Delete,      // delete a / dfree(a): see alloc
    Thread,      // thread.name  (rank size oldrank get put, or a library function)
    Block,       // block.name
    Warp,        // warp.name
    InitList,    // { args }
    Error,       // an error here was reported
  } kind;
  SourceRange range;
  union {
    UnaryOp unary;
    BinaryOp binary;
  };
  bool has_op = false;                                            // Assign: compound; Lambda: [=]
  enum Alloc : uint8_t { Host, Device, DeviceTemp } alloc = Host; // New, Delete
  uint8_t literal_bits = 0; // IntLit: 0 unsuffixed, 32, 64; FloatLit: 0 (double), 16 (h), 32 (f), 64
  bool literal_unsigned = false;
  uint64_t integer = 0;  // IntLit, CharLit, BoolLit
  double floating = 0;   // FloatLit
  std::string_view name; // Name, Member, Arrow, Thread, Block, Warp; StringLit: the bytes, escapes resolved
  Expr* a = nullptr;
  Expr* b = nullptr;
  Expr* c = nullptr;
  std::span<Expr*> args;    // Call, Construct, InitList, Index, New
  TypeExpr* type = nullptr; // Construct, Cast, SizeofType, New
};

// ---- statements
struct Declarator {
  std::string_view name;
  SourceRange range;
  TypeExpr* type; // the full type of this name
  Expr* init = nullptr;
  bool is_shared = false;    // an array or variable of the block
  bool by_reference = false; // T& x = init: another name for a place
};

struct AsmOperand {
  Expr* constraint; // a StringLit
  Expr* value;
};

struct Stmt {
  enum Kind : uint8_t {
    Empty,
    ExprStmt,
    Decl,
    Block,
    If,
    For,
    While,
    Do,
    Switch,
    Case,
    Default,
    Break,
    Continue,
    Return,
    Spawn,   // expr = size, count = block size or null, step = width or null, body
    Barrier, // reassigned
    Require, // body; its braces are no scope
    Par,     // body is a Block; its braces are no scope
    Asm,     // expr is the text, a StringLit; outputs, inputs, clobbers; otherwise
  } kind;
  SourceRange range;
  Expr* expr = nullptr;  // ExprStmt, Return (or null), If/While/Do/For/Switch condition (For: may be null), Case value,
                         // Spawn: the number of threads, or of those in a row (extents)
  Expr* count = nullptr; // Spawn: block(N); loops: unroll(N)
  Expr* step = nullptr;  // For; Spawn: width(N)
  Stmt* init = nullptr;  // For: Decl or ExprStmt or null
  Stmt* body =
      nullptr; // If then, loops, Switch (a Block with Case/Default statements among others), Spawn, Require, Par
  Stmt* otherwise = nullptr;                 // If, Asm
  std::span<Stmt*> stmts;                    // Block
  std::span<Declarator> decls;               // Decl
  std::span<Expr*> extents{};                // Spawn: its second and third one, outward
  bool reassigned = false;                   // Barrier
  bool is_const = false;                     // Decl
  bool unrolled = false;                     // For, While, Do: `unroll` stands before it
  bool is_wavefront = false;                 // For, While, Do: `wavefront` stands before it
  bool is_partition = false;                 // Spawn: `partition` stands before its body
  bool is_volatile = false;                  // Asm
  std::span<AsmOperand> outputs{}, inputs{}; // Asm
  std::span<Expr*> clobbers{};               // Asm: StringLits
};

inline bool isLoop(const Stmt& stmt) {
  return stmt.kind == Stmt::For || stmt.kind == Stmt::While || stmt.kind == Stmt::Do;
}

constexpr std::string_view kWavefrontWord = "wavefront";

// The word at the beginning of a wavefront, for messages.
inline SourceRange wavefrontWord(SourceRange loop) {
  return {loop.begin, std::min(loop.end, loop.begin + static_cast<SourcePos>(kWavefrontWord.size()))};
}

constexpr size_t kMostExtents = 3; // of a spawn, of a view

// ---- top level
struct Param {
  std::string_view name; // may be empty in an extern declaration
  SourceRange range;
  TypeExpr* type; // kind Open when not written
  bool by_reference = false;
  Expr* otherwise = nullptr; // the value if no argument is given; or null
};

// The word before the dot in a function's name: thread.f, block.f, warp.f. A lambda has no name.
enum class Family : uint8_t { Plain, Thread, Block, Warp, Lambda };

struct Function {
  std::string_view name; // "f", "operator+", "operator-" (also unary), "operator[]", "thread.sortby", "S.f"
  SourceRange range;     // of the name
  TypeExpr* result;      // null: none written (void); kind Auto: deduced
  std::span<Param> params;
  Stmt* body; // null: a declaration
  bool is_inline = false, is_extern = false, is_export = false, is_static = false, is_variadic = false;
  bool is_strict = false;  // no product is fused into a sum
  bool is_method = false;  // of a struct S: the name is "S.f", the first parameter `this`
  bool of_generic = false; // of a generic struct: the functions of its types are made from it
  Family family = Family::Plain;
  Watch watch = Watch::Usual; // the library's alone
  SourceRange watched;        // ... then all of its text
  uint32_t captured = 0;      // of a lambda: number of parameters at the end that are copies of variables around it
};

// Returns the number of parameters that get no argument between a call's parentheses.
inline size_t hiddenParameters(const Function& function) {
  return function.is_method + function.captured;
}

inline size_t fewestArguments(const Function& function) {
  size_t count = function.params.size();
  while (count && function.params[count - 1].otherwise)
    --count;
  return count;
}

// True if a call may have that many.
inline bool takes(const Function& function, size_t arguments) {
  return arguments >= fewestArguments(function) && (arguments <= function.params.size() || function.is_variadic);
}

// A parameter of a generic struct: struct P(T, const N) {...}
struct TypeParam {
  std::string_view name;
  SourceRange range;
  bool is_number = false;
};

struct Struct {
  std::string_view name;
  SourceRange range;
  std::span<Declarator> fields;
  std::span<TypeParam> params{};  // generic if there are some
  std::span<Function*> methods{}; // of a generic one
};

struct Enumerator {
  std::string_view name;
  SourceRange range;
  Expr* value; // or null
};

struct Enum {
  std::string_view name; // may be empty
  SourceRange range;
  std::span<Enumerator> items;
};

struct Typedef {
  std::string_view name;
  SourceRange range;
  TypeExpr* type;
};

struct Global {
  Declarator decl;
  bool is_const = false, is_extern = false;
};

struct TopLevel {
  // StaticAssert: the call, an Expr. Library: the name of one that has extern functions, a StringLit.
  enum Kind : uint8_t { Function, Struct, Enum, Typedef, Global, StaticAssert, Library } kind;
  void* node;
  template <class T> T& as() const { return *static_cast<T*>(node); }
};

// A part of the text with a syntax error in it: top-level items.
struct Broken {
  SourceRange range;
  bool lost = false;                      // its end, or its contents, are not known
  std::span<SourceRange> errors{};        // statements with one; an empty range at the beginning of a head with one
  std::span<std::string_view> in_doubt{}; // names that may mean something else in it than in the tree
};

// One program: the given file, in which each include is replaced by its file's items, each file once.
struct Program {
  std::span<TopLevel> items;
  // After syntax errors:
  std::span<Broken> broken{};
  std::span<std::string_view> in_doubt{}; // names in doubt everywhere
  bool incomplete = false;                // a part is missing that may declare any name: a file, the end of one, a name
};

} // namespace bsgp::ast
