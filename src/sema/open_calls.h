// Calls of overloads that differ in the space of their pointers alone, with a pointer whose space is still open: what is
// done with it further down decides. Host code only, as device code that is reached through a pointer decides its space.
#pragma once

#include <vector>

#include "sema/services.h"

namespace bsgp::sema {

// Selects one of two functions that differ in the space of their pointers alone.
Selected selectBySpace(Sema& sema, const ast::Function& first, const ast::Function& second,
                       std::vector<Argument>& arguments, SourceRange range, Body& caller, bool used);

// Decides the calls that selectBySpace had to leave open, when all spaces are known.
void decideOpenCalls(Sema& sema);

} // namespace bsgp::sema
