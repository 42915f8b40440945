// What a checked program with a main has found is told although a signal ends it: of a fault, of abort, or of who is tired of
// waiting.
#pragma once

namespace bsgp::runtime {

// From now on `tell` is called with the name of such a signal, before the process ends by it: by a thread of its own, since
// nothing that takes memory or a lock may be called where a signal has come. It is not waited for longer than that can take.
void tellBeforeEnd(void (*tell)(const char* signal));

// In the handler of a fault: waits until it is told. Nothing, where nobody wants to tell anything.
void tellLastWords(int signal_number);
bool hasLastWords();

} // namespace bsgp::runtime
