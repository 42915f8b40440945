// Unary, binary, logical and conditional operators.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "sema/body.h"

namespace bsgp::sema {

// Calls the program's own operator for these operands. Null: there is none.
Expr* overloaded(Body& body, std::string_view name, std::vector<Expr*> operands, SourceRange range);

// Checks -a, !a, ~a, *a, &a, ++a, a++.
Expr* unary(Body& body, const ast::Expr* e);

// Checks a + b and its like, a && b, a || b and (a, b).
Expr* binary(Body& body, const ast::Expr* e);

// Makes a binary operation of checked operands.
Expr* binaryOn(Body& body, ast::BinaryOp op, Expr* a, Expr* b, SourceRange range);

// The value of a condition that is known at compile time. Nothing: it is not.
std::optional<bool> constantCondition(const Expr* condition);

// Checks c ? a : b.
Expr* conditional(Body& body, const ast::Expr* e);

} // namespace bsgp::sema
