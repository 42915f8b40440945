// A condition that assigns to what nothing can be assigned to (if (thread.rank = 3)) was to compare.
#pragma once

#include "diag/diagnostics.h"
#include "parse/ast.h"

namespace bsgp::sema {

// Makes the comparison the help of errors since `before` that such an assignment in a condition caused.
void sayToCompare(const ast::Expr& condition, const Diagnostics::Mark& before, Diagnostics& diagnostics);

} // namespace bsgp::sema
