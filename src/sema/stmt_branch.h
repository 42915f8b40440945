// if and switch.
#pragma once

#include "sema/body.h"

namespace bsgp::sema {

// Checks if. Gives the arm that is taken where the condition is known.
Stmt* ifStmt(Body& body, const ast::Stmt* s);

// Checks switch.
Stmt* switchStmt(Body& body, const ast::Stmt* s);

} // namespace bsgp::sema
