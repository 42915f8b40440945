// The values of names and arguments, and the facts of a function's text that are known before it is checked.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "diag/diagnostics.h"
#include "sema/program.h"

namespace bsgp::sema {

struct Argument;

// The text that a name stands in. In the library's text, names mean the library's declarations, whatever the program
// declares.
enum class Scope : uint8_t { Program, Library };

// A function or operator as an argument: exists at compile time only.
struct Callable {
  std::string_view name; // of the overload set; operators: "+"
  bool is_operator = false;
  ast::BinaryOp op{};
  std::span<const Argument> captured{}; // of a lambda: arguments behind its own ones
  Scope scope{};                        // of the place that named it first
  bool is_lambda = false;
};

// The function that a call takes.
struct Selected {
  Function* function = nullptr; // null: none, which was reported
  // The overload for device memory, if the overloads differ in the space of their pointers alone and the arguments' space is
  // still open. `function` is the one for host memory then.
  Function* on_device_memory = nullptr;
};

// A call of one of two such functions, to be decided when all spaces are known.
struct OpenCall {
  Expr* call;
  Function* on_device_memory;
  const Type* pointer; // of one of the arguments whose space was open
};

struct Symbol {
  enum Kind : uint8_t { None, Variable, Callable, Number, Reference } kind = None;
  bsgp::Variable* variable = nullptr; // Reference: where it was declared, for messages
  const Expr* place = nullptr;        // Reference: the place it stands for
  sema::Callable callable{};
  int64_t number = 0; // enumerator
  const Type* type = nullptr;
};

// The facts of a function's text, found once per declaration.
struct Traits {
  bool barriers = false;        // barrier, require, par, thread.get/put/oldrank: a collective by itself
  bool barriers_inside = false; // or one that calls such a function
  bool synchronizes = false;    // as barriers_inside, and not for its gets and puts alone
  bool thread = false;          // names something that only threads have: runs in a spawn only
  bool reaches_thread = false;  // or calls a function that may do so
  bool host_only = false;       // spawn, new, delete, dnew, dfree
  SourceRange host_place{};     // of that
  std::string_view instead{};   // of __instead("...")
  bool asks_use = false;        // __is_used(), or returns the value of a function that asks
};

// The facts of a function's text that the host needs (host_locals.cpp).
struct HostLocals {
  std::unordered_set<const void*> declarations; // declarators, and assignments that declare, in device code
  std::vector<bool> parameters;                 // of a collective: read by its requires and the host's control flow
  // The change to a local, by its position, that only threads can make.
  struct ByThreads {
    SourceRange range{};
    bool assigned = false; // in the middle of an expression
  };
  std::unordered_map<SourcePos, ByThreads> threads;
  bool gives_threads = false; // a collective that returns each thread's own value
  // Ifs, loops and switches that the host runs, by their text; with the local as in Stmt::assigns.
  std::unordered_map<const void*, std::string_view> flow;
  // Loops and switches that a break or continue leaves for some threads alone, with its range.
  std::unordered_map<const void*, SourceRange> parted;
};

struct Argument {
  Expr* value = nullptr; // or
  bool is_callable = false;
  Callable callable{};
  SourceRange range{};
};

// A generic struct with arguments, and the first place that has them.
struct GenericUse {
  const ast::Struct* node;
  SourceRange range;
};

// Their types, as a list in a message.
std::string shown(const std::vector<Argument>& arguments);

// Returns the help for a name of other languages, or a member or function of a list there; null if it is none.
const char* foreignNameHelp(std::string_view name);
const char* foreignMemberHelp(std::string_view name);

// A built-in function that runs in device code only: atomic_add, ...
bool isDeviceCall(std::string_view name);

// Appends the names of the built-in functions for programs, for messages (expr_builtins.cpp, expr_memory.cpp).
void appendBuiltinNames(std::vector<std::string_view>& names);
void appendDeviceCalls(std::vector<std::string_view>& names);

// A use that a pointer to private or shared memory must not have (addresses.cpp).
struct AddressUse {
  enum Kind : uint8_t { AsNumber, FromNumber, AsOtherType, InMemory } kind;
  const Type* pointer; // AsOtherType, InMemory: of the memory that would hold the address
  SourceRange range;
};

// The results of a trial on a side of a function that is never called; they are undone if it is not its side.
struct SideTrial {
  std::vector<std::string> instances; // keys
  std::vector<const ast::Function*> checked;
  std::vector<SpaceCell*> spaces; // were open before
  size_t addresses = 0;           // open ones before
  size_t calls = 0;               // likewise
  std::vector<Diagnostic> stay;   // messages that do not depend on the side
};

} // namespace bsgp::sema
