// Rules of the typed program that the phases behind sema take for granted. A violation is a bug of the compiler or of a pass over the
// typed tree, never of the user's program.
#pragma once

#include <string>

#include "sema/program.h"

namespace bsgp::sema {

// The first rule that the program breaks, with the function that does; empty: none.
// - each expression has a type that is no error, and the parts that its kind needs (program.h);
// - types fit: operands of an operator have one type, a condition is a bool, both arms of ?: and both sides of an assignment have one
//   type, a field, an element and a component have the type of their place;
// - an assignment's left side is an lvalue;
// - a call gives each parameter a value of its type;
// - a declaration's value has its variable's type; a return gives the function's type.
// Types are one where they differ in spaces, const or the names of enums alone.
std::string verify(const Program& program);

// Ends the process on a violation.
void check(const Program& program);

} // namespace bsgp::sema
