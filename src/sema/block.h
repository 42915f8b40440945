// The block level: block.rank and its like, block.sync, calls of functions named block.something, shared variables.
#pragma once

#include <string_view>

#include "sema/body.h"

namespace bsgp::sema {

// Checks block.rank, block.size, block.count.
Expr* blockMember(Body& body, const ast::Expr* e);

// Checks block.sync() or a call of a library function named block.something.
Expr* blockCall(Body& body, const ast::Expr* e);

// Checks a built-in of tiles, the parts of a block that the library works on. Null: `name` is none of them.
Expr* tileBuiltin(Body& body, std::string_view name, const ast::Expr* e);

// Marks the function, or the spawn, as one whose threads wait for each other in a block.
void sawBlockSync(Body& body);

// Declares a `shared` variable of device code. Null: an error was reported.
Stmt* declareShared(Body& body, const ast::Declarator& d);

} // namespace bsgp::sema
