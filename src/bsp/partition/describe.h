// The table of a partition for people (`emit partition`): its blocks, what lives between them, and what the paper's machine
// would need besides: colours, copying nodes, and the blocks that copy a value which has two arrays.
#pragma once

#include "bsp/partition/kept_values.h"
#include "bsp/partition/regions.h"
#include "plan/report.h"

namespace bsgp::bsp {

plan::PartitionTable describePartition(uint32_t superstep, llvm::Function& kernel, const Regions& regions,
                                       const KeptValues& kept);

} // namespace bsgp::bsp
