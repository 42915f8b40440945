#pragma once

#include <string_view>

#include "op.h"
#include "type.h"

namespace bsgp::emulator {

// cvt with all that follows it: "rn.f16.f32". Operand 0 takes operand 1 (and 2: the low half of a pair).
struct Conversion {
  Handler run = nullptr; // null: there is no such conversion
  Type to = Type::none, from = Type::none;
  uint32_t aux = 0;
  bool pair = false;
};

// The registers may be wider than the types.
Conversion conversionOf(std::string_view modifiers, unsigned to_bytes, unsigned from_bytes);

} // namespace bsgp::emulator
