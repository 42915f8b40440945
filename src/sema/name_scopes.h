// A name's meaning depends on where it is written. In a file of the library it is what the library declares: a program may
// have functions and variables of the same names. What a program may add to is the meaning of names and operators for
// values of its own structs: where an argument is one, its functions are candidates there, too.
#pragma once

#include <string_view>
#include <vector>

#include "sema/services.h"

namespace bsgp::sema {

// Adds a function to a set.
void addOverload(Sema& sema, FunctionSets& sets, std::string_view name, const ast::Function& function);

// The functions of a name that a text of `scope` sees.
Overloads overloads(const Sema& sema, const FunctionSets& sets, std::string_view name, Scope scope);

// The functions that a call with these arguments may mean.
Overloads candidates(const Sema& sema, std::string_view name, const std::vector<Argument>& arguments, Scope scope);

// True if a text of `scope` may mean this one of `all`.
bool isCandidate(Sema& sema, const ast::Function& node, Scope scope, const Overloads& all);

// Declares the name of a type, or reports that it is taken.
void nameType(Sema& sema, std::string_view name, const Type* type, SourceRange declaration);

// The type of this name. Null: there is none.
const Type* typeNamed(const Sema& sema, std::string_view name, Scope scope);

// True if a text of `scope` sees a function of this name.
bool hasFunction(const Sema& sema, std::string_view name, Scope scope);

// The global variable or constant of this name. Null: there is none.
const Symbol* global(const Sema& sema, std::string_view name, Scope scope);

inline Overloads overloads(const Sema& sema, std::string_view name, Scope scope) {
  return overloads(sema, sema.functions.all, name, scope);
}

// True if some text has a function of this name.
inline bool hasFunction(const Sema& sema, std::string_view name) {
  return sema.functions.all.count(name) != 0;
}

// The table of global names in which a declaration at this place belongs.
inline std::unordered_map<std::string_view, Symbol>& globalsOf(Sema& sema, SourceRange declaration) {
  return scopeOf(sema, declaration) == Scope::Library ? sema.names.library_globals : sema.names.globals;
}

// True if the program, not the library, declares the function.
inline bool isOfProgram(const Sema& sema, const ast::Function& function) {
  return scopeOf(sema, function.range) == Scope::Program;
}

} // namespace bsgp::sema
