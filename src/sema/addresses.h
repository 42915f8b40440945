// What must not become of pointers to the memory of a thread or a block, which nobody else can reach and which is gone
// soon: numbers, bits behind another type, values in memory. And pointers of the program's interface that nothing
// says the memory of.
#pragma once

#include "sema/body.h"

namespace bsgp::sema {

// Notes a use of a pointer that no pointer to private or shared memory may have. An error where its space is known; else it is judged
// at the end.
void useAddress(Body& body, AddressUse::Kind kind, const Type* pointer, SourceRange range);

// Judges the uses that useAddress noted, when all spaces are known.
void checkOpenAddresses(Sema& sema);

// Warns of pointers in exported functions whose space nothing decides.
void warnOfOpenPointers(Sema& sema);

} // namespace bsgp::sema
