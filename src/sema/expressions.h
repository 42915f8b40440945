// The switch over expressions.
#pragma once

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

// The type of an expression that is not evaluated.
const Type* typeOf(Body& body, const ast::Expr* e);

} // namespace bsgp::sema
