// Makes a kernel of each block of a partition, and the two that list the threads of a block.
//
//   block 2 of spawn.f.0.1:             define internal void @spawn.f.0.1.block2(...) {
//     test:                               %slot = rank(0);  %rank = load ranks[%slot]
//       %i = phi [0, entry], [%j, test]   %i = load t3[%rank]                        ; what other blocks have made
//       %j = add %i, 1             =>     %j = add %i, 1
//       br %c, test, end                  br %c, leave, leave1
//                                       leave:                                       ; back to the entry: a thread waits
//                                         store %j, t3[%rank];  store 2, counters[%rank];  ret
//
// Block 0 has no list: its kernel runs once, for all ranks.
#pragma once

#include <llvm/IR/Function.h>

#include "bsp/partition/kept_values.h"
#include "bsp/partition/regions.h"
#include "plan/plan.h"

namespace bsgp::bsp {

// `whole`: the kernel that has been cut; it is left behind. `kernel`: its description. Adds streams, kernels and the partition
// to the plan.
void makeBlockKernels(llvm::Function& whole, const plan::Kernel& kernel, const Regions& regions, const KeptValues& kept,
                      plan::Plan& plan);

} // namespace bsgp::bsp
