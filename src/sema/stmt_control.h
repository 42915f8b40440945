// Statements of C: blocks, branches, loops, switch, return, declarations.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "sema/body.h"

namespace bsgp::sema {

// Checks statements, in order, and appends them.
void stmts(Body& body, std::span<ast::Stmt*> list, std::vector<Stmt*>& out);

// Checks a statement that stands without braces in a scope of its own.
Stmt* alone(Body& body, const ast::Stmt* s);

// Checks a statement of any kind. Null: nothing stays of it.
Stmt* stmt(Body& body, const ast::Stmt* s);

// Makes a statement of an expression.
Stmt* wrap(Body& body, Expr* e);

// Checks { ... }. `scope` is the construct that ends with it, for messages about its names.
Stmt* block(Body& body, const ast::Stmt* s, const char* scope = kBraces);

// Declares a variable of this side.
Variable* local(Body& body, std::string_view name, const Type* type, SourceRange range, Side side);

// Reports a second declaration of a name in one scope.
void rejectRedefinition(Body& body, const ast::Declarator& d);

// Declares a variable of the side that is checked.
inline Variable* local(Body& body, std::string_view name, const Type* type, SourceRange range) {
  return local(body, name, type, range, body.mode.side);
}

} // namespace bsgp::sema
