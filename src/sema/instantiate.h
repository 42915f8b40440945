// Instances of functions: one for each combination of parameter types, function arguments, side, and, in device code,
// rank type, block, which parameters are host values, and constants given to const parameters.
#pragma once

#include <string>
#include <vector>

#include "sema/body.h"

namespace bsgp::sema {

// Appends a text that is the same for the same types.
void typeKey(Sema& sema, const Type* type, std::string& out);

// The side on which a function runs that is called here.
Side sideFor(const Body& body, const ast::Function& function);

// The instance of a function for these arguments on this side, made where there is none yet. Null: an error was reported.
Function* instantiate(Sema& sema, const ast::Function& node, std::vector<Argument>& arguments, SourceRange range,
                      Side side, Body* caller, bool used);

// Checks the types of an extern function.
void checkExtern(Sema& sema, const ast::Function& node);

// True if a returned value of the function is the host's.
bool hostReturns(Body& body, const Stmt* s);

// The declaration that an instance was made of. Null: it was made otherwise.
const ast::Function* declarationOf(const Sema& sema, const Function& function);

} // namespace bsgp::sema
