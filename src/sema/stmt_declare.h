// Declarations of local variables, and assignments that declare one.
#pragma once

#include "sema/body.h"

namespace bsgp::sema {

// Checks a declaration of local variables.
Stmt* declaration(Body& body, const ast::Stmt* s);

// Declares the variable of a first assignment to a name that means nothing.
Stmt* implicitLocal(Body& body, const ast::Expr* assign, SourceRange range);

} // namespace bsgp::sema
