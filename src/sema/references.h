// T& n = place: another name for it. What the place is reached by, pointers and computed indices, is found once, where
// the reference is declared, and kept in variables that have no name.
#pragma once

#include <optional>

#include "sema/body.h"

namespace bsgp::sema {

// Declares a reference. Nothing: it is to const and needs a copy.
std::optional<Stmt*> reference(Body& body, const ast::Declarator& d);

// Makes the place that a reference stands for.
Expr* seenHere(Body& body, const Expr* place, SourceRange range);

} // namespace bsgp::sema
