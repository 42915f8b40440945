#pragma once

#include <string_view>

#include "op.h"
#include "ptx.h"

namespace bsgp::emulator {

// For reading a clock register to d of so many bytes; null if it is no clock, or of another size.
Handler clockHandler(std::string_view name, unsigned bytes);

// Between a value of `whole` bytes (operand 4) and Op::aux of `part` bytes (operands 0 to 3); null if there is none.
Handler packHandler(bool unpacks, unsigned whole, unsigned part);

} // namespace bsgp::emulator
