// Writes out `unroll for` loops around collective code. Each iteration is checked on its own, with the loop's
// variable a constant, so it may stand where a loop may not: around barriers, and as arms of a par.
#pragma once

#include <vector>

#include "sema/body.h"

namespace bsgp::sema {

// True for an `unroll for` that holds something collective.
bool isWrittenOut(Sema& sema, const ast::Stmt* s);

// True for such a loop in device code.
bool isWrittenOut(Body& body, const ast::Stmt* s);

// Makes the iterations of such a loop, in a sequence.
Stmt* writtenOut(Body& body, const ast::Stmt* s);

// Checks each iteration of such a loop.
std::vector<Stmt*> rounds(Body& body, const ast::Stmt* s);

} // namespace bsgp::sema
