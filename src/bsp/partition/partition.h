// Cuts the kernels of a partition into one for each block of their control flow.
//
// Requires: kernels as makeKernels leaves them. Ensures: kernels of the same meaning; in their order in the plan, each superstep's
// together. A superstep without loops stays one kernel. So does one with operations that several threads come to together (of a
// collective of the library), and one whose threads wait for each other.
#pragma once

#include <llvm/ADT/BitVector.h>

#include "bsp/partition/options.h"
#include "diag/diagnostics.h"
#include "ir/spawns.h"
#include "ir/supersteps.h"
#include "plan/plan.h"
#include "plan/report.h"

namespace bsgp::bsp {

// The streams of one plan::Partition: from the first one to the one before `end`.
struct PartitionStreamRange {
  uint32_t first = 0, end = 0;
};

inline bool isPartitioned(const ir::Spawn& spawn, const PartitionOptions& options) {
  bool is_wanted = spawn.is_partition || (options.spawns == PartitionOptions::All && !spawn.outline.site.of_library);
  return is_wanted && options.spawns != PartitionOptions::None;
}

// The supersteps, by number, with a loop that a thread leaves only when another one has stored something. Warns of them if the
// program asks for the partition.
llvm::BitVector waitingSupersteps(const ir::Spawn& spawn, const ir::Supersteps& steps, Diagnostics& diagnostics);

// `waiting`: of those supersteps. Returns the streams of each partition that it adds to the plan.
std::vector<PartitionStreamRange> partitionKernels(llvm::Module& module, const ir::Spawn& spawn,
                                                   const llvm::BitVector& waiting, const PartitionOptions& options,
                                                   plan::Plan& plan, plan::Report& report);

} // namespace bsgp::bsp
