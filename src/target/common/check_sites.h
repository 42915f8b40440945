// Describes a watched place as a constant of the program (bsgp_check_site).
#pragma once

#include <cstdint>

#include <llvm/IR/Value.h>

namespace bsgp::target {

struct SiteFacts {
  bool is_known = false;
  uint8_t access = 0, space = 0, checks = 0, flags = 0;
  uint64_t bytes = 0, align = 0, extent = 0;
  bool is_of_library = false; // a place in the library that the program called
};

SiteFacts factsOf(const llvm::Value& site);

} // namespace bsgp::target
