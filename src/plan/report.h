// Facts about a spawn beside its Plan, for people to read: the values that cross a barrier and how they do. A Plan is
// executed without them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "plan/plan.h"

namespace bsgp::plan {

// A value that crosses a barrier: a row of the paper's tables 1 and 2.
struct CrossingValue {
  std::string name;
  uint32_t defined = 1;       // superstep
  std::vector<uint32_t> used; // supersteps
  bool stored = false;        // false: recomputed where it is used
  std::string how;            // stored: "stream 0, stream 2"; else "recomputed from rank", "oldrank", ...
  uint32_t bytes = 0;         // per thread
};

// An edge of the flow graph, figure 4 of the paper: times are 2*superstep (beginning) and 2*superstep+1 (end).
struct StreamValue {
  std::string name;
  uint32_t start = 0, end = 0; // closed interval
  uint32_t bytes = 0;          // per thread
  uint32_t generation = 0;     // thread count: how many reassignments came before
  uint32_t stream = 0;         // assigned
};

// How a superstep of a partition runs; beside the place of its spawn in the program.
struct PartitionRemark {
  uint32_t place = 0;
  std::string text;
};

struct Report {
  std::vector<CrossingValue> crossing;
  std::vector<StreamValue> values;
  std::vector<PartitionRemark> partition;
  std::vector<std::string> remarks; // the cost of an array across a barrier, ...
};

std::string superstepsText(const Plan& plan, const Report& report); // `emit supersteps`: the paper's tables 1 and 2
std::string superstepsJson(const Plan& plan, const Report& report);
std::string streamsText(const Plan& plan, const Report& report); // `emit streams`: flow graph and assignment
std::string streamsDot(const Plan& plan, const Report& report);  // the same as Graphviz

} // namespace bsgp::plan
