// Device code assigns to a host variable: the host does it, between supersteps.
#pragma once

#include "sema/body.h"

namespace bsgp::sema {

// True for i = 1, i += 2, i++ of a host variable, which becomes `target`.
bool assignsToHost(Body& body, const ast::Expr* e, Expr*& target);

// Makes the assignment of the host's. Null: threads would assign values of their own, which is reported.
Stmt* assignToHost(Body& body, const ast::Expr* e, Expr* target, SourceRange range);

// Makes a statement by which device code gives a host variable its value between supersteps.
Stmt* hostAssign(Body& body, Expr* assign);

} // namespace bsgp::sema
