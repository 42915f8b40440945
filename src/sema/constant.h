// Compile-time numbers: array sizes, case labels, enumerators, constant tables.
#pragma once

#include <vector>

#include "sema/program.h"

namespace bsgp::sema {

struct Sema;

// Computes a compile-time number. True if `expr` is one; then `out` holds it.
bool constantValue(const Expr* expr, ConstValue& out);

// Appends the numbers of a constant of any type, field by field. False if one is not known at compile time. With `texts`, pointers to
// string literals count as constants.
bool constantLeaves(Sema& sema, const Expr* init, const Type* type, std::vector<ConstValue>& out, bool texts = false);

} // namespace bsgp::sema
