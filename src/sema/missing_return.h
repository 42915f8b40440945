// Functions with a result that can end without one. What can be reached is asked of the statements alone, as C's
// compilers do: a loop without a condition, assert(false) and exit() do not go on, any other condition may hold or not.
#pragma once

#include "sema/body.h"

namespace bsgp::sema {

// Reports a function with a result that can end without one.
void checkReturns(Body& body, const ast::Function& node);

} // namespace bsgp::sema
