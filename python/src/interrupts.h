// Ctrl-C while a call runs. The library asks from time to time (bsgp_set_interrupt), which runs Python's signal handlers; the exception
// that one of them raises ends the call. A second Ctrl-C that meets the same call, because it is stuck in a loop that is never asked, ends
// the process.
#pragma once

#include "errors.h"

namespace bsgp::python {

// Sets the function that the library asks. Once, by the thread that imports the module.
void watchSignals();

// A call of the library that may take long, with the interpreter's lock released meanwhile.
class LongCall {
public:
  LongCall();
  ~LongCall();
  LongCall(const LongCall&) = delete;
  LongCall& operator=(const LongCall&) = delete;

private:
  PyThreadState* state_;
  bool is_main_;
};

// Runs what Python has for signals, of a thread without the interpreter's lock. True: one of them raised an exception, which ends the call.
bool isInterrupted();

// Sets the exception that ended this thread's call. False: none did.
bool raiseInterruption();

} // namespace bsgp::python
