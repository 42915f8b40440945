// The switch over expressions, literals and names.
#pragma once

#include <string_view>

#include "sema/body.h"

namespace bsgp::sema {

// Checks an expression: any value or lvalue. Arrays stay arrays.
Expr* expr(Body& body, const ast::Expr* e);

// Checks an expression whose value is used. Arrays become pointers.
Expr* rvalue(Body& body, const ast::Expr* e);

// Reports that an expression has no value.
Expr* noValue(Body& body, const Expr* e);

// Checks a condition, as a bool.
Expr* condition(Body& body, const ast::Expr* e);

// Makes a constant.
Expr* number(Body& body, int64_t value, const Type* type, SourceRange range);

// The symbol of a local name or parameter. Symbol::None: there is none.
Symbol findLocal(const Body& body, std::string_view name);

// The symbol that a name means here. Symbol::None: there is none.
Symbol find(const Body& body, std::string_view name);

// Gives a name a meaning in the innermost scope.
void bind(Body& body, std::string_view name, Symbol symbol);

// Closes the innermost scope. `with` is the construct that ends, for messages about its names.
void popScope(Body& body, const char* with = kBraces);

// True if device code would copy a host variable that is too large for that.
bool capturesTooMuch(const Body& body, const Variable* v);

// Makes the value of a variable, if this side may read it.
Expr* useVariable(Body& body, Variable* v, SourceRange range);

// Opens a scope, which popScope closes.
inline void pushScope(Body& body) {
  body.names.marks.push_back(body.names.visible.size());
}

} // namespace bsgp::sema
