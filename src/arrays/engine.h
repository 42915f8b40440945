// Evaluates graphs: one at a time, each on the threads that its caller asked for.
#pragma once

#include <mutex>
#include <span>
#include <string>

#include "arrays/compiled/cache.h"
#include "arrays/device/target.h"
#include "arrays/schedule.h"

namespace bsgp::arrays {

struct Options {
  unsigned threads = 0; // 0: all
  bool fuse = true;
  Compile compile = Compile::WhenItPays;
  Target target = Target::Cpu;
};
Options& options(); // of this thread
// Fails where the target's machine is not there.
Result<void> setOptions(const Options& wanted);

// All of them have values then. Where it fails, those that were computed stay, and the others can be evaluated again.
Result<void> evaluate(std::span<Node* const> nodes);

// Says what evaluating them would do, in words and in counts.
struct Explanation {
  int64_t kernels = 0, operations = 0, bytes_written = 0;
  std::string text;
};
Explanation explain(std::span<Node* const> nodes);
// The same for a schedule that is made already (explain.cpp).
Explanation explain(const Schedule& schedule);

struct Counts {
  int64_t evaluations, kernels;
};
Counts counts();

} // namespace bsgp::arrays
