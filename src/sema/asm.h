// asm("ptx" : "=f"(x) : "f"(a)) else statement: both are checked on every target, and one of them stays. Host code has
// the statement on every target.
#pragma once

#include "sema/body.h"

namespace bsgp::sema {

// Checks an asm statement and gives it, or the statement behind its 'else'.
Stmt* inlineAssembly(Body& body, const ast::Stmt* s);

} // namespace bsgp::sema
