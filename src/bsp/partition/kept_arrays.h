// Which private arrays a thread keeps from one block of a partition to another.
#pragma once

#include <llvm/IR/Instructions.h>

#include "bsp/partition/regions.h"

namespace bsgp::bsp {

// True if a block may read what another one, or an earlier run of it, has written; or if a pointer to the array is stored.
bool isKeptArray(llvm::AllocaInst& array, const Regions& regions);

} // namespace bsgp::bsp
