// Rejects uses of pointers to the memory of a thread or a block, which no other thread can reach and which is gone
// soon: as numbers, as bits of another type, as values in memory. Also warns of pointers in the program's interface
// whose space nothing decides.
#pragma once

#include "sema/body.h"

namespace bsgp::sema {

// Notes a use that no pointer to private or shared memory may have. It is an error at once if the pointer's space is
// known; else it is judged at the end.
void useAddress(Body& body, AddressUse::Kind kind, const Type* pointer, SourceRange range);

// Judges the uses that useAddress noted, when all spaces are known.
void checkOpenAddresses(Sema& sema);

// Warns of pointers in exported functions whose space nothing decides.
void warnOfOpenPointers(Sema& sema);

} // namespace bsgp::sema
