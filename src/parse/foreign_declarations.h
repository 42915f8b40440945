// Ways out for declarations as C and C++ have them.
#pragma once

#include <string>
#include <string_view>

#include "lex/lex.h"

namespace bsgp {

// Names the form to write in place of an operator that cannot be defined.
std::string helpForOperator(Tok kind, std::string_view symbol);

// Names of places where some specifiers cannot stand, for messages.
constexpr const char* kLocalVariable = "a variable inside a function";
constexpr const char* kGlobalVariable = "a variable outside of functions";

// Names the form to write in place of a specifier that cannot stand at `what`; empty: the word is left out.
std::string_view helpForSpecifier(std::string_view word, std::string_view what);

} // namespace bsgp
