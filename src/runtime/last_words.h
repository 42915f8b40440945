// Prints the findings of a checked program with a main although a signal ends it: that of a fault, of abort, or of an
// interrupt.
#pragma once

namespace bsgp::runtime {

// From now on `tell` is called with the name of such a signal, before the process ends by it: by a thread of its own,
// because a signal handler may call nothing that takes memory or a lock. It is not waited for longer than that can
// take.
void tellBeforeEnd(void (*tell)(const char* signal));

// For the handler of a fault: waits until the findings are printed. It does nothing if tellBeforeEnd was not called.
void tellLastWords(int signal_number);
bool hasLastWords();

} // namespace bsgp::runtime
