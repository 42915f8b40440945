// Statements in order, and the switch over their kinds.
#pragma once

#include <span>
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

} // namespace bsgp::sema
