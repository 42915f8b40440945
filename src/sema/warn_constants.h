// Constants that become other numbers where they stand: char c = 300; uint u = -1; 1 << 32; 100000 * 100000.
//
// A cast says that it is meant. So does a number that is written as bits, where its sign alone changes: 0xffffffff and ~0
// for an int or a uint, and -1 for all bits of a uint. In an instance of a generic function the sign says nothing: its text is
// for types of all kinds.
#pragma once

#include <string>

#include "sema/body.h"

namespace bsgp::sema {

// True in an instance of a function that takes values of any type.
bool isGeneric(const Body& body);

// An operand as a long: 100000l, (long)N, (long)(N - 1).
std::string asLong(std::string_view text);

// Warns of a constant that a type cannot hold. `what` names the place.
void warnOfLoss(Body& body, Expr* e, const Type* to, const char* what);

} // namespace bsgp::sema
