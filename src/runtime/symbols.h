// The functions that compiled code calls, by name: for a compiler that runs its code in its own process.
#pragma once

#include <span>

namespace bsgp::runtime {

struct Symbol {
  const char* name;
  void* address;
};

std::span<const Symbol> symbols();

} // namespace bsgp::runtime
