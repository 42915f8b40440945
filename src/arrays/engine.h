// Evaluates graphs: one at a time, each on the threads that its caller asked for.
#pragma once

#include <mutex>
#include <span>
#include <string>

#include "arrays/block.h"
#include "arrays/device/target.h"
#include "arrays/schedule.h"

namespace bsgp::arrays {

struct Options {
  unsigned threads = 0; // 0: all
  bool fuse = true;
  Compile compile = Compile::WhenItPays;
  int64_t most_pending = int64_t(16) << 30;
  Target target = Target::Cpu;
  bool exact = false; // products of matrices in an order that depends on their shapes alone
};
Options& options(); // of this thread
// Fails where the target's machine is not there.
Result<void> setOptions(const Options& wanted);

// All of them have values then. Where it fails, those that were computed stay, and the others can be evaluated again.
Result<void> evaluate(std::span<Node* const> nodes);

// Evaluates the node if the operations that it needs have come to more bytes than the options allow: a program that never reads its
// arrays would collect them without end. A failure is reported to who reads the array.
void evaluateLongChain(Node& node);

// Says what evaluating them would do, in words and in counts.
struct Explanation {
  int64_t kernels = 0, operations = 0, bytes_written = 0;
  std::string text;
};
Explanation explain(std::span<Node* const> nodes);
// The same for a schedule that is made already (explain.cpp).
Explanation explain(const Schedule& schedule);

// Kernels that are scheduled and set out once, and run many times.
struct Bound {
  Schedule schedule;
  std::vector<std::unique_ptr<Prepared>> prepared; // one for each kernel
  std::vector<std::vector<NodeRef>> read_last;     // by each kernel: arrays that are not needed behind it
};
// While a thread holds it, no other one evaluates, and so changes nodes. It may take it again.
class EngineLock {
public:
  enum Wish { Wait, Try };
  explicit EngineLock(Wish wish = Wait);
  ~EngineLock();
  EngineLock(const EngineLock&) = delete;
  EngineLock& operator=(const EngineLock&) = delete;
  bool isHeld() const { return is_held_; }

private:
  bool is_held_ = true;
};
// The caller of these holds the lock.
Bound bindable(std::span<Node* const> nodes, bool fuse);
// Gives `slots` the values of `arguments` and runs all; returns arrays with the values of `outputs`. All nodes lose their values then.
Result<std::vector<NodeRef>> runBound(Bound& bound, std::span<const NodeRef> slots, std::span<const NodeRef> arguments,
                                      std::span<const NodeRef> outputs);

// How far this thread's evaluation is: kernels that are done, and all.
struct Progress {
  int64_t done = 0, all = 0;
};
Progress& progress();

struct Counts {
  int64_t evaluations, kernels;
};
Counts counts();

} // namespace bsgp::arrays
