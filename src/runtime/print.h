// printf, with arguments in 8-byte slots.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace bsgp::runtime {

// As C's printf does it: d i u x X o c s p f F e E g G a A %, flags, width, precision (also *). Slots are 64 bits wide,
// so %d prints a long too; h and hh narrow. A conversion without an argument, or one that is not in the list, is
// printed as it stands. A NaN has no sign.
std::string formatSlots(const char* format, std::span<const uint64_t> slots);

} // namespace bsgp::runtime
