// Operations that are no functions of the library: memory, printf, assert, exact math.
#pragma once

#include <string_view>

#include "sema/body.h"

namespace bsgp::sema {

// Checks a call of a built-in function. Null: no built-in has this name.
Expr* builtin(Body& body, std::string_view name, const ast::Expr* e);

// Checks new and dnew.
Expr* allocation(Body& body, const ast::Expr* e);

// Checks delete and dfree.
Expr* release(Body& body, const ast::Expr* e);

// Checks sizeof.
Expr* sizeOf(Body& body, const ast::Expr* e);

} // namespace bsgp::sema
