// The kernels that find the threads of a block of a partition, in the order of their ranks (plan_abi.h). A thread of theirs looks
// at BSGP_PARTITION_CHUNK counters.
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Instruction.h>

#include "plan/plan.h"

namespace bsgp::bsp {

// The streams of one partition, by number in the plan.
struct PartitionStreams {
  uint32_t counters = 0, counts = 0, ranks = 0;
  uint32_t first_kept = 0;                                  // of KeptValues::streams
  llvm::DenseMap<const llvm::Instruction*, uint32_t> bytes; // of each kept value or array
  uint32_t bytesOf(const llvm::Instruction& kept) const { return bytes.lookup(&kept); }
};

enum class ListKernel { Count, List };

// Adds the kernel to the module of `whole`, and to the plan.
void makeListKernel(ListKernel kind, llvm::Function& whole, const plan::Kernel& of, const PartitionStreams& streams,
                    plan::Plan& plan);

} // namespace bsgp::bsp
