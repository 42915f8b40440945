// Spawns of two and three dimensions. Behind this phase there are none: their extents are variables of the host, the
// places of threads are variables of each thread, which go with it where ranks are assigned anew.
//
//   spawn (w, h) {               const width = w, height = h;  assert(they are not negative, and the product is a rank)
//     … thread.x …          =>   spawn (width * height) { const x = thread.rank % width, y = thread.rank / width;
//   }                              … x … }
//
// A function that is called there sees the same variables: each such spawn has instances of its own of it.
#pragma once

#include <span>
#include <vector>

#include "sema/body.h"

namespace bsgp::sema {

// A grid for functions that are never called, which do not tell whether they run in one.
const Grid* anyGrid(Sema& sema);

// Makes the grid of a spawn (w, h) or (w, h, d). Appends the declarations of its extents to `before`.
Grid* startGrid(Body& body, std::span<Expr* const> extents, const Type* rank, std::vector<Stmt*>& before);

// Makes the number of threads of a grid. Appends the test that it fits in a rank to `before`.
Expr* threadsOf(Body& body, const Grid& grid, SourceRange range, std::vector<Stmt*>& before);

// Declares the place of each thread of a grid. Appends the declarations to `declared`.
void placeThreads(Body& body, Grid& grid, SourceRange range, std::vector<Stmt*>& declared);

// Checks thread.x, thread.y, thread.width and their like.
Expr* gridMember(Body& body, const ast::Expr* e);

// The number of arguments of a call that name a thread: one rank, or a place in the grid. `others` is the number of the rest.
size_t ranksIn(const Body& body, const ast::Expr* call, size_t others);

// Makes the rank that the first `count` arguments of a call name.
Expr* rankAt(Body& body, const ast::Expr* call, size_t count);

} // namespace bsgp::sema
