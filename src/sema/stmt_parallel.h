// spawn, barrier, require, par, thread.oldrank, thread.put: and where they may stand.
#pragma once

#include <vector>

#include "sema/body.h"

namespace bsgp::sema {

// Marks the function as one with a barrier or its like.
void sawCollective(Body& body);

// Marks the function as one that gets or puts.
void sawExchange(Body& body);

// Makes a sequence of statements in front of another. `last` may be null.
Stmt* behind(Body& body, std::vector<Stmt*>& before, Stmt* last);

// Checks spawn.
Stmt* spawn(Body& body, const ast::Stmt* s);

// Checks barrier.
Stmt* barrier(Body& body, const ast::Stmt* s);

// Checks require.
Stmt* require(Body& body, const ast::Stmt* s);

// Checks par.
Stmt* par(Body& body, const ast::Stmt* s);

// Checks thread.oldrank = e.
Stmt* oldRank(Body& body, const ast::Expr* assign);

// Checks thread.put.
Stmt* put(Body& body, const ast::Expr* call, SourceRange range);

} // namespace bsgp::sema
