// The state of the check of a whole program, in parts. The functions over a part are declared by the header that its comment names.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "diag/diagnostics.h"
#include "sema/block_flow.h"
#include "sema/nodes.h"
#include "sema/program.h"
#include "sema/sema.h"
#include "sema/symbols.h"

namespace bsgp::sema {

struct Body;
struct Grid;

// The names of types, variables and constants outside of functions: name_scopes.h, declare.h.
struct GlobalNames {
  std::unordered_map<std::string_view, Symbol> globals, library_globals;
  std::unordered_map<std::string_view, const Type*> types;
  std::unordered_set<std::string_view> const_types;   // typedefs of const types
  std::unordered_set<std::string_view> program_types; // declared by the program, not the library
  std::unordered_set<SourcePos> implicit_locals; // where the names of variables begin that a first assignment declares
};

// Functions by name: name_scopes.h, select.h, open_calls.h, lambdas.h.
using Overloads = std::span<const ast::Function* const>; // of one name, as seen from a text
using FunctionSets = std::unordered_map<std::string_view, std::vector<const ast::Function*>>;
struct Functions {
  FunctionSets all;
  FunctionSets methods;                                          // by their names without the struct's
  std::unordered_map<std::string, const ast::Function*> lambdas; // closures, by their text and captured variables
  std::vector<OpenCall> open_calls;                              // to be decided when all spaces are known
};

// Facts of functions' texts, each found once: traits.h, host_locals.h, written.h.
struct Texts {
  std::unordered_map<const ast::Function*, Traits> traits;
  std::unordered_map<const ast::Function*, HostLocals> host_locals;
  std::map<std::pair<const ast::Param*, const Type*>, bool> written; // does the function write the parameter
};

// Function instances: instantiate.h, sides.h, library_calls.h.
struct Instances {
  std::unordered_map<std::string, Function*> all; // by instanceKey
  std::unordered_map<const Function*, bool> in_progress;
  std::unordered_map<const Function*, Diagnostic> broken; // instances of the library, with their first error
  std::unordered_set<const ast::Function*> checked;       // have an instance, on some side
  std::optional<SideTrial> trial;
  std::unordered_map<const ast::Param*, const Expr*> defaults;
  std::unordered_map<const Function*, const Type*> narrow_sums; // the type of sums that a library function keeps
  std::unordered_set<const Function*> int_sums;                 // of the library, that add or multiply 32-bit numbers
  std::unordered_map<std::string, unsigned> symbol_counts;
  Grid* any_grid = nullptr; // for functions that are never called
  unsigned depth = 0;       // of instances being checked, each called by the one before
};

// Structs and the values that their fields begin with: sema.cpp, resolve_type.h, field_values.h.
struct Structs {
  struct FieldValue {
    const ast::Expr* written;
    const Expr* value = nullptr;
    bool checked = false;
  };
  std::unordered_set<const StructInfo*> of_program;
  std::unordered_map<std::string_view, const ast::Struct*> undeclared; // seen by name, fields still to come
  std::unordered_set<const ast::Struct*> declared;
  std::unordered_set<std::string> c_names;                               // of structs, as the header for C has them
  std::unordered_map<const Type*, std::vector<FieldValue>> field_values; // of structs that have some
  std::vector<const Type*> with_values;                                  // these, in order
  bool needs_fields = true; // resolve is asked for a struct by value, which needs its fields
  unsigned declaring = 0;   // structs whose declaration is being read
};

// Generic structs: generic_structs.h.
struct Generics {
  std::unordered_map<std::string_view, const ast::Struct*> declared;
  std::unordered_set<const ast::Struct*> reached; // their declarations, in the order of the text
  std::unordered_set<const ast::Struct*> endless; // reported as containing themselves
  std::unordered_map<std::string, const Type*> types;
  std::unordered_map<const ast::TypeExpr*, const Type*> written;    // outside of bodies
  std::unordered_map<const Type*, GenericUse> undeclared;           // whose fields are still to come
  std::vector<const Type*> waiting;                                 // of these; last come, first declared
  const Type* declaring = nullptr;                                  // its fields are being read
  std::unordered_map<const Type*, const Type*> users;               // for a type, the one whose fields ask for it first
  std::unordered_map<std::string_view, const Type*> argument_types; // by the names they have in copies of trees
};

struct Sema {
  Sema(Program& program, const Options& options, Diagnostics& diagnostics)
      : program(program), options(options), types(program.types), arena(program.arena), nodes{program.arena},
        diag(diagnostics), warnings(diagnostics.sources()), block_flow(diagnostics) {}

  Program& program;
  const Options& options;
  TypeTable& types;
  Arena& arena;
  Nodes nodes;
  Diagnostics& diag;
  Diagnostics warnings; // of what is hardly meant (warnings.h): reported where the program has no errors
  GlobalNames names;
  Functions functions;
  Texts texts;
  Instances instances;
  Structs structs;
  Generics generics;
  std::vector<AddressUse> open_addresses; // of pointers whose space is still open: addresses.h
  BlockFlow block_flow;
};

// The text that holds this place: the program's, or the library's.
inline Scope scopeOf(const Sema& sema, SourceRange range) {
  return sema.diag.sources().ofLibrary(range) ? Scope::Library : Scope::Program;
}

} // namespace bsgp::sema
