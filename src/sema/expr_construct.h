// Constructions, initializers and casts.
#pragma once

#include <vector>

#include "sema/body.h"

namespace bsgp::sema {

// Makes T(a, b) of checked arguments.
Expr* constructType(Body& body, const Type* type, std::vector<Expr*> args, SourceRange range);

// Checks T(a, b).
Expr* construct(Body& body, const ast::Expr* e);

// Makes the value of a type whose numbers are all zero, or that its fields begin with.
Expr* zero(Body& body, const Type* type, SourceRange range);

// Checks an initializer of a variable of this type: a value or a list.
Expr* initializer(Body& body, const ast::Expr* init, const Type* type);

// Checks (T)e.
Expr* explicitCast(Body& body, const ast::Expr* e);

// Makes the explicit conversion of a checked value. `range` is the place of the cast in messages.
Expr* castTo(Body& body, Expr* value, const Type* to, SourceRange range);

} // namespace bsgp::sema
