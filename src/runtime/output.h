// The standard output of the process, as far as it is the program's: is what was printed there.
#pragma once

#include "support/result.h"

namespace bsgp::runtime {

// Keeps the numbers of standard streams that were closed before the process began from going to the next files that are
// opened: what is printed would end in those. Writing to one fails from then on.
void holdStandardStreams();

// What fails of these, flushOutput will tell.
void print(std::string_view text);
void notPrinted(int why); // something was to be printed and could not even be made; an errno
void flush();             // before something is said on stderr

// Writes what is still buffered. An error where that, or anything before, could not be written; it is given once.
Result<void> flushOutput();

} // namespace bsgp::runtime
