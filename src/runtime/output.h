// The standard output of the process, as far as it is the program's: reports whether it could be printed.
#pragma once

#include "support/result.h"

namespace bsgp::runtime {

// Keeps the numbers of standard streams that were closed before the process began from going to the next opened
// files: output would end in those. Writing to such a stream fails from then on.
void holdStandardStreams();

// flushOutput reports the failures of these.
void print(std::string_view text);
void notPrinted(int why); // the text could not even be made; an errno
void flush();             // before a message goes to stderr

// Writes the buffered text. Returns an error if that, or an earlier output, could not be written; it is given once.
Result<void> flushOutput();

} // namespace bsgp::runtime
