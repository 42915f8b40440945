// The names in scope: local variables, parameters, and what a name means.
#pragma once

#include <string_view>

#include "sema/body.h"

namespace bsgp::sema {

// Declares a variable of this side.
Variable* local(Body& body, std::string_view name, const Type* type, SourceRange range, Side side);

// Reports a second declaration of a name in one scope.
void rejectRedefinition(Body& body, const ast::Declarator& d);

// Declares a variable of the side that is checked.
inline Variable* local(Body& body, std::string_view name, const Type* type, SourceRange range) {
  return local(body, name, type, range, body.mode.side);
}

// The symbol of a local name or parameter. Symbol::None: there is none.
Symbol findLocal(const Body& body, std::string_view name);

// The symbol that a name means here. Symbol::None: there is none.
Symbol find(const Body& body, std::string_view name);

// Gives a name a meaning in the innermost scope.
void bind(Body& body, std::string_view name, Symbol symbol);

// Closes the innermost scope. `with` is the construct that ends, for messages about its names.
void popScope(Body& body, const char* with = kBraces);

// Opens a scope, which popScope closes.
inline void pushScope(Body& body) {
  body.names.marks.push_back(body.names.visible.size());
}

} // namespace bsgp::sema
