// Kernels of compiled code alone whose arrays advance from row to row by a stride: a row is then some additions and a call.
#pragma once

#include "arrays/load.h"

namespace bsgp::arrays {

struct Prepared;

struct RowSteps {
  bool exist = false;
  Middle rows;                 // of the axis in front of the last: coordinates are linear in them
  std::vector<int64_t> deltas; // in bytes, of each value that the code reads, then writes
};

// After the layout, the order and the middle of rows are known.
RowSteps rowStepsOf(const Prepared& prepared);

} // namespace bsgp::arrays
