// The command line of bsgpc: options, help texts, what they fill in.
#pragma once

#include "driver/commands.h"

namespace bsgp::driver {

// Reads the arguments and runs the command they name. Returns the exit status of the process.
int runCommandLine(int argc, char** argv);

} // namespace bsgp::driver
