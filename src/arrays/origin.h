// Places in the program that makes arrays: an operation that fails when it is computed names the one where it was written.
#pragma once

#include <cstdint>
#include <string>

#include "support/result.h"

namespace bsgp::arrays {

// The place that nodes made by this thread get, as a number; 0: none.
uint32_t& currentOrigin();
// One number for equal texts; "": 0.
uint32_t originNamed(const std::string& place);
// The message with the place in front.
Error at(uint32_t origin, Error error);

} // namespace bsgp::arrays
