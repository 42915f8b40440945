// Reports a crash of a program that reaches memory that is not there: for its own main alone. A program that calls
// functions of BSGP from C has handlers of its own.
#pragma once

#include <atomic>

#include "plan/plan_abi.h"

namespace bsgp::runtime {

// From now on a segmentation fault names the superstep, if one runs, behind the output before it. The process then
// ends as it would have.
void tellCrashes();

// The superstep whose threads run on this machine: one at a time in a program with a main.
class Running {
public:
  Running(const char* file, const bsgp_kernel& kernel) : file(file), kernel(kernel) {
    now.store(this, std::memory_order_relaxed);
  }
  ~Running() { now.store(nullptr, std::memory_order_relaxed); }
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;

  const char* const file; // of the spawn; null: unknown
  const bsgp_kernel& kernel;
  static std::atomic<const Running*> now;
};

} // namespace bsgp::runtime
