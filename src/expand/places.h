// Parts of variables of threads, as thread.get and thread.put name them.
#pragma once

#include "sema/program.h"

namespace bsgp::expand {

// The same part of the same variable.
bool samePlace(const Expr* a, const Expr* b);

} // namespace bsgp::expand
