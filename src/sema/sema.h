// Names, types, spaces, sides: from the syntax tree to the typed program.
//
// The folder `sema` takes ast::Program; gives Program (program.h), in which every name is resolved, every expression
// has a type, every conversion is written out, and a function is an instance for one set of argument types. It says
// what may stand where: barriers, collectives, block.sync. Collectives are still calls: expand puts them in place.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "parse/ast.h"
#include "sema/difference.h"
#include "sema/program.h"

namespace bsgp {
class Diagnostics;
}

namespace bsgp::sema {

struct Options {
  bool need_main = false;       // a program to run: without main an error
  bool gpu = false;             // the value of target_is_gpu()
  bool appends = false;         // the value of __appends(): there is code for Builtin::Append and AppendTake
  bool fast_math = false;       // the value of fast_math()
  bool tells_undefined = false; // the program reports undefined values: Builtin::Uses marks the library's uses
  // The file of the library that declares a name and is not included; empty: none does. May be empty itself.
  std::function<std::string(std::string_view name)> include_of;
};

// Host functions that nothing calls are checked too, as far as they are not generic. The program is complete only when
// no error was reported. Passes over the typed program take Analysis (analysis.h), which makes calls of library functions.
std::unique_ptr<Program> analyze(const ast::Program& tree, const Options& options, Diagnostics& diagnostics);

// True for what is built from host variables, constants and pure operations alone, so that the host can compute it (uniform.cpp).
// Else the reason is the first part of the expression that the host cannot compute.
bool isHostValued(const Expr* e, Difference* reason = nullptr);

// The name of a member of thread, block or warp, as "warp.rank"; empty for other kinds.
std::string_view nameOfMember(Expr::Kind kind);

// Something that can be stored to, unless it is const.
bool isLvalue(const Expr* e);
// An lvalue that may not be stored to: a constant, or what a pointer to const points to, or a part of such a thing.
bool isConst(const Expr* lvalue);
// A value that holds lists and has no other owner: its lists are moved, those of others are copied.
bool isTemporary(const Expr* e);
// Host code: an element of a list, or a part of one.
bool isListElement(const Expr* lvalue);
// The variable at the end of a chain of fields, swizzles and elements of arrays; null where memory behind a pointer is
// meant.
const Variable* rootVariable(const Expr* lvalue);

} // namespace bsgp::sema
