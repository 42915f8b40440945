// Counts of elements that a call is given, beside the place where the elements are.
#pragma once

#include <span>

#include "sema/body.h"

namespace bsgp::sema {

struct CountedPlace {
  const Expr* value; // a pointer or an array
  SourceRange range;
};

// Reports a constant count that is larger than the array of a fixed length, which is an error, and warns of a count of bytes.
// False: an error was reported.
bool checkCount(Body& body, const CountedPlace& place, const Expr& count, SourceRange range);

// Does the same for the arguments of the library's functions, and warns of a value that the elements to be filled cannot hold.
bool checkCounted(Body& body, const Function& function, std::span<const Argument> arguments);

// Warns of a count of threads, written at `range`, that is one of bytes.
void warnOfThreadsOfBytes(SourceRange range, Diagnostics& warnings);

// Warns of a count of elements, written at `range`, that is one of bytes: n * sizeof(int).
void warnOfBytes(Body& body, const Type& element, SourceRange range);

} // namespace bsgp::sema
