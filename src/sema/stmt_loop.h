// for, while and do.
#pragma once

#include <string_view>

#include "sema/body.h"

namespace bsgp::sema {

// Reports an assignment that makes a variable of a name that a loop's head declared, where the types differ.
void checkHeadType(Body& body, std::string_view name, const Expr* value, const Type* type, SourceRange range);

// Checks for, while and do.
Stmt* loop(Body& body, const ast::Stmt* s);

} // namespace bsgp::sema
