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

// A value of a thread, or an array, that lives from one block of a partition to another. The numbers are those of blocks, ascending.
struct PartitionVariable {
  std::string name;
  uint32_t bytes = 0; // per thread
  bool is_array = false;
  std::vector<uint32_t> loaded{}, stored{};
  // A machine that cannot read and write one array at a time has two of a variable that a block reads and writes. Other blocks
  // copy it, or are bypassed.
  std::vector<uint32_t> read_and_written{}, copied{}, bypassed{};
};

struct PartitionBlock {
  uint32_t basic_blocks = 0; // of the superstep's code; 0: it copies counters alone
  std::vector<uint32_t> next;
  bool colour = false; // which of two arrays of counters it reads
};

struct PartitionTable {
  uint32_t superstep = 1;
  uint32_t basic_blocks = 0;                          // before they were merged
  std::vector<PartitionBlock> blocks;                 // those that copy come last
  std::vector<std::pair<uint32_t, uint32_t>> copying; // the edge that each of these stands on
  std::vector<PartitionVariable> variables;
  uint32_t locals = 0; // variables of the program that live in one block alone
};

struct Report {
  std::vector<CrossingValue> crossing;
  std::vector<StreamValue> values;
  std::vector<PartitionRemark> partition;
  std::vector<PartitionTable> partitions;
  std::vector<std::string> remarks; // the cost of an array across a barrier, ...
};

std::string superstepsText(const Plan& plan, const Report& report); // `emit supersteps`: the paper's tables 1 and 2
std::string superstepsJson(const Plan& plan, const Report& report);
std::string partitionText(const Plan& plan,
                          const Report& report); // `emit partition`: blocks and what lives between them
std::string partitionJson(const Plan& plan, const Report& report);
std::string streamsText(const Plan& plan, const Report& report); // `emit streams`: flow graph and assignment
std::string streamsDot(const Plan& plan, const Report& report);  // the same as Graphviz

} // namespace bsgp::plan
