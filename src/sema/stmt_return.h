// return.
#pragma once

#include "sema/body.h"

namespace bsgp::sema {

// Checks return.
Stmt* returnStmt(Body& body, const ast::Stmt* s);

} // namespace bsgp::sema
