// Which spawns are partitioned.
#pragma once

#include <cstdint>
#include <string_view>

#include "support/result.h"

namespace bsgp::bsp {

struct PartitionOptions {
  enum Spawns : uint8_t { None, Marked, All } spawns = Marked; // All: of the program, not of the library
  bool describe = false; // makes plan::PartitionTables, which take more than linear time
};

// Reads what stands behind --partition=. "true": the option stands alone.
Result<PartitionOptions> partitionNamed(std::string_view word);

} // namespace bsgp::bsp
