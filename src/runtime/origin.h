// The place where a program asked for memory, and whether that place can still be read.
#pragma once

#include <cstdint>

#include "plan/plan_abi.h"

namespace bsgp::runtime {

// The place that asked for an allocation, for messages.
struct Origin {
  const bsgp_site* site = nullptr; // null: unknown
  int64_t count = 0;               // elements
  uint64_t unloads = 0;            // how often code had been unloaded by then: the site may be gone since
};

// The sites of all live allocations must not be read any more: the code that holds them goes.
void forgetSites();
uint64_t timesUnloaded();

} // namespace bsgp::runtime
