// Rejects sums kept in a type too small for them: of bools, which hold 0 and 1 alone, and of char and short. The
// library names its sums; the error is reported at the program's call of the library.
#pragma once

#include <string_view>

#include "sema/body.h"

namespace bsgp::sema {

// Checks the built-ins by which the library says what it sums. Null: `name` is none of them.
Expr* sumBuiltin(Body& body, std::string_view name, const ast::Expr* e);

// Checks the built-ins by which the library says which operands it uses.
Expr* useBuiltin(Body& body, const ast::Expr* e);

// Makes a value of type void that does nothing.
Expr* nothing(Body& body, SourceRange range);

// True unless a call of the library sums values in a type that is too small for them, which is reported.
bool checkSums(Body& body, const Function& callee, SourceRange call);

} // namespace bsgp::sema
