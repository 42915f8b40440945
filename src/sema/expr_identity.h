// identity(op, x): the neutral value of an operator, in the type of x. For the operators of the language it is known
// here; a function says it in a clause of its own, which the parser made a function `f.identity`.
#pragma once

#include <string_view>

#include "sema/body.h"

namespace bsgp::sema {

// Checks the arguments (op, x) of the built-in `name`. Null: `op` and `type` hold them; else the error.
Expr* operatorAndType(Body& body, std::string_view name, const ast::Expr* e, Callable& op, const Type*& type);

// Checks identity(op, x), the neutral value of an operator.
Expr* identity(Body& body, const ast::Expr* e);

// Checks __exact(op, x): does the order of operands not change the result.
Expr* exact(Body& body, const ast::Expr* e);

// Checks __commutes(op, x).
Expr* commutes(Body& body, const ast::Expr* e);

} // namespace bsgp::sema
