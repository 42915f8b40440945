// Failures of the program, and their messages.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "plan/plan_abi.h"

// The first failure of a launch. `state` is claimed by the thread that fails first; the rest is valid once the launch
// has ended.
struct bsgp_failure {
  std::atomic<uint32_t> state{0};
  uint32_t kind = 0;
  int64_t rank = -1;
  const bsgp_site* site = nullptr;
};

namespace bsgp::runtime {

[[gnu::format(printf, 1, 2)]] std::string formatted(const char* format, ...);

// "mesh.bsgp:12:5: error: "; shorter if less is known.
std::string errorAt(const bsgp_site* site);

// The whole message of an assertion, a division by zero, too deep a recursion. rank < 0: on the host.
std::string failureMessage(uint32_t kind, int64_t rank, const bsgp_site* site);

} // namespace bsgp::runtime
