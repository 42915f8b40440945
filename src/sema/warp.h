// Warps: warp.rank and its like, and the functions of the library by which the threads of a warp exchange values.
#pragma once

#include <string_view>

#include "sema/body.h"

namespace bsgp::sema {

// Checks warp.rank and its like.
Expr* warpMember(Body& body, const ast::Expr* e);

// Checks a call of a library function named warp.something.
Expr* warpCall(Body& body, const ast::Expr* e);

// Checks a built-in of warps. Null: `name` is none of them.
Expr* warpBuiltin(Body& body, std::string_view name, const ast::Expr* e);

// Marks the function as one whose threads exchange values in a warp.
void sawWarpSync(Body& body);

} // namespace bsgp::sema
