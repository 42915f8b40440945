// thread.rank, thread.size, thread.oldrank, thread.get; calls of library functions named thread.something.
#pragma once

#include <string_view>

#include "sema/body.h"

namespace bsgp::sema {

// Checks thread.rank, thread.size and their like.
Expr* threadMember(Body& body, const ast::Expr* e);

// Checks thread.get or a call of a library function named thread.something.
Expr* threadCall(Body& body, const ast::Expr* e);

// True if each thread has a copy of its own of this place, which others can reach.
bool perThreadPlace(const Expr* e);

// Reports that thread.get or thread.put (`name`) cannot reach `place`.
void failPlace(Body& body, const ast::Expr& call, const Expr* place);

} // namespace bsgp::sema
