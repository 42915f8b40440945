// Finds the steps and supersteps of a Plan that may come right behind each other.
#pragma once

#include <vector>

#include "plan/plan.h"

namespace bsgp::plan {

// It takes any plan, also one whose branches and jumps lead anywhere.
class Ways {
public:
  explicit Ways(const Plan& plan);

  bool any() const { return any_; }                             // true if a step branches, jumps or moves a stream
  bool isTarget(size_t step) const { return jumps_[step] > 0; } // of a branch or jump; the number of steps: the end
  bool meet(size_t step) const;                                 // several edges lead to the step

  // The supersteps that come right behind one, in order; 0: the end.
  std::vector<uint32_t> next(uint32_t superstep) const;

private:
  const Plan& plan_;
  bool any_ = false;
  std::vector<uint32_t> jumps_; // to each step
  std::vector<size_t> begins_;  // of supersteps
};

} // namespace bsgp::plan
