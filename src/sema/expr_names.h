// The switch over expressions, literals and names.
#pragma once

#include <string_view>

#include "sema/body.h"

namespace bsgp::sema {

// True if device code would copy a host variable that is too large for that.
bool capturesTooMuch(const Body& body, const Variable* v);

// Reports such a variable, named at `range`. `at`: the index of its element that is read there, or null.
Expr* failToCapture(Body& body, const Variable& array, const Expr* at, SourceRange element, SourceRange range);

// Makes the value of a variable, if this side may read it.
Expr* useVariable(Body& body, Variable* v, SourceRange range);

// Checks a name.
Expr* name(Body& body, const ast::Expr* e);

} // namespace bsgp::sema
