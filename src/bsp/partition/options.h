// Which spawns are partitioned, and for which machine.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "support/result.h"

namespace bsgp::bsp {

struct PartitionOptions {
  enum Spawns : uint8_t { None, Marked, All } spawns = Marked;
  // The paper's machine, which never reads and writes one array in one pass (target reference alone). It has two arrays of
  // counters, and copies of values that a block reads and writes.
  bool double_buffered = false;
  enum Stale : uint8_t { Plain, TimeStamps, Bipartite } stale = Plain; // how it is kept from using old counters
  bool bypass = false;  // copies only the values that have to be
  uint32_t outputs = 0; // arrays that a pass may write; 0: any number
  uint32_t tile = 64;   // threads that are skipped together
  bool operator==(const PartitionOptions&) const = default;
};

// Reads the words behind --partition=, with commas between them. "true": the option stands alone.
Result<PartitionOptions> partitionNamed(std::string_view words);

std::string text(const PartitionOptions& options);

} // namespace bsgp::bsp
