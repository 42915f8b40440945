// The files that a command writes: none of them may take the place of another, or of the program.
#pragma once

#include <string>
#include <vector>

#include "driver/commands.h"

namespace bsgp::driver {

// Fails, before any work is done, if a path is the program's text, a folder or in none, or if two are the same file. Empty paths are
// none.
Result<void> checkOutputs(const CommandLine& line, const std::vector<std::string>& paths);

// Fails if a path is one of the texts that the program was read from.
Result<void> checkNoneIsRead(const std::vector<std::string>& texts, const std::vector<std::string>& paths);

} // namespace bsgp::driver
